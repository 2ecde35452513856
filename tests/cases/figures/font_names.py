#: runtime native
# A font that is not here is drawn with the nearest one; only a name that means nothing is told.
import matplotlib.pyplot as plt
from matplotlib import font_manager

plt.rcParams["font.sans-serif"] = ["SimHei", "Microsoft YaHei"]
plt.rcParams["axes.unicode_minus"] = False
plt.title("季度销售额（万元）")
plt.bar(["华北", "华东"], [-3, 5])
plt.tight_layout()
plt.show()
for name in "Noto Sans CJK JP", "PingFang SC", "Malgun Gothic", "Segoe UI Emoji", "Consolas", "Calibri", "Monospace":
    print(name, "->", font_manager.get_font(font_manager.findfont(name)).family_name)
plt.xlabel("x", fontfamily="No Such Font")
plt.show()
#: images 633x468 png, 556x435 png
# | [image 1: 633x468 PNG, "季度销售额（万元）"]
# | bar chart "季度销售额（万元）", x of 华北, 华东, y -3.4 to 5.4; 华北=-3, 华东=5.
# | Noto Sans CJK JP -> WenQuanYi Micro Hei
# | PingFang SC -> WenQuanYi Micro Hei
# | Malgun Gothic -> WenQuanYi Micro Hei
# | Segoe UI Emoji -> Noto Emoji
# | Consolas -> DejaVu Sans Mono
# | Calibri -> DejaVu Sans
# | Monospace -> DejaVu Sans Mono
# | [image 2: 556x435 PNG]
# | axes, x "x" 0 to 1, y 0 to 1.
# | [note: fonts that are not installed, others are drawn instead: No Such Font]
# --- call
from PIL import ImageFont

for name in "simhei.ttf", "C:\\Windows\\Fonts\\msyh.ttc", "/System/Library/Fonts/Apple Color Emoji.ttc", "arial.ttf":
    print(name, "->", *ImageFont.truetype(name, 24).getname())
try:
    ImageFont.truetype("nothing.ttf", 24)
except OSError as error:
    print(error)


def ink(text):
    mask = ImageFont.load_default(24).getmask(text)
    return sum(map(bool, mask))


print([ink(text) > 100 for text in ("abc", "北京", "한국", "😀")], ink("北") != ink("京"))
# | simhei.ttf -> WenQuanYi Micro Hei Regular
# | C:\Windows\Fonts\msyh.ttc -> WenQuanYi Micro Hei Regular
# | /System/Library/Fonts/Apple Color Emoji.ttc -> Noto Emoji Regular
# | arial.ttf -> DejaVu Sans Book
# | cannot open resource
# | [True, True, True, True] True
