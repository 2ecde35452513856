#: runtime auto
from PIL import Image

Image.new("RGB", (40, 30), (200, 10, 10)).save("red.png")
#: ran native because `PIL` needs the native runtime
#: images 40x30 png
# | [image 1: 40x30 PNG, file red.png]
# | [files written: red.png (<n> bytes)]
