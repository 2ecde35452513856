#: runtime native
#: arguments {"timeout": 55}
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

image = Image.fromarray(np.zeros((64, 64, 3), np.uint8))
ImageDraw.Draw(image).ellipse((8, 8, 56, 56), fill="red")
image.resize((32, 16), Image.Resampling.LANCZOS).filter(ImageFilter.BLUR).save("/mnt/data/small.webp")
for name in ("small.png", "small.jpg", "small.gif"):
    Image.open("small.webp").convert("RGB").save(name)
    assert Image.open(f"/mnt/data/{name}").size == (32, 16)
print("ok")
#: images 32x16 png, 32x16 jpeg, 32x16 gif
# | ok
# | [image 1: 32x16 PNG, file small.png]
# | [image 2: 32x16 JPEG, file small.jpg]
# | [image 3: 32x16 GIF, file small.gif]
# | [files written: small.gif (<n> bytes), small.jpg (<n> bytes), small.png (<n> bytes), small.webp (<n> bytes)]
