#: options --limit-open-files 64
#: runtime native
# Characters of many scripts, in more fonts than descriptors: nothing stays open, and nothing is said.
import matplotlib.pyplot as plt

axes = plt.subplots(2, 2)[1]
texts = "北京 東京 서울 📈", "ไทย हिन्दी עברית", "ⓐ ☂ 🤖 −½", "Ж Ω ß"
for panel, text in zip(axes.flat, texts):
    panel.set_title(text, fontweight="bold")
    panel.set_xlabel(text, fontfamily=["SimHei", "Segoe UI Emoji"])
plt.savefig("figure.png")
plt.close()
files = [open("figure.png", "rb") for _ in range(40)]
print(len(files))
#: images 640x480 png
# | 40
# | [image 1: 640x480 PNG, "北京 東京 서울 📈", file figure.png]
# | 4 axes: [1] axes "北京 東京 서울 📈", x "北京 東京 서울 📈" 0 to 1, y 0 to 1. [2] axes "ไทย हिन्दी עברית", x "ไทย हिन्दी עברית" 0 to 1, y 0 to 1. [3] axes "ⓐ ☂ 🤖 −½", x "ⓐ ☂ 🤖 −½" 0 to 1, y 0 to 1. [4] axes "Ж Ω ß", x "Ж Ω ß" 0 to 1, y 0 to 1.
# | [files written: figure.png (<n> bytes)]
