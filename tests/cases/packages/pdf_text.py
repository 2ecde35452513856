#: runtime native
#: arguments {"timeout": 55}
import matplotlib.pyplot as plt
import PyPDF2

plt.rcParams["pdf.fonttype"] = 42
plt.figtext(0.1, 0.5, "Hello PDF")
plt.savefig("/mnt/data/page.pdf")
plt.close()
text = PyPDF2.PdfReader("page.pdf").pages[0].extract_text()
assert "Hello" in text and "PDF" in text, text
writer = PyPDF2.PdfWriter()
writer.append("page.pdf")
writer.append("/mnt/data/page.pdf")
with open("two.pdf", "wb") as file:
    writer.write(file)
assert len(PyPDF2.PdfReader("two.pdf").pages) == 2
print("ok")
#: images 88x32 png
# | [image 1: 88x32 PNG]
# | "Hello PDF"
# | ok
# | [files written: page.pdf (<n> bytes), two.pdf (<n> bytes)]
