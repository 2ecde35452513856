import numpy as np
from PIL import Image, ImageDraw, ImageFilter

image = Image.fromarray(np.zeros((64, 64, 3), np.uint8))
ImageDraw.Draw(image).ellipse((8, 8, 56, 56), fill="red")
image.resize((32, 16), Image.Resampling.LANCZOS).filter(ImageFilter.BLUR).save("/mnt/data/small.webp")
for name in ("small.png", "small.jpg", "small.gif"):
    Image.open("small.webp").convert("RGB").save(name)
    assert Image.open(f"/mnt/data/{name}").size == (32, 16)
print("ok")
