"""Pillow: draw, resize, rotate, filter, and every usual file format there and back."""

from importlib.metadata import version

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, ImageOps, features

picture = Image.new("RGB", (320, 200), "white")
draw = ImageDraw.Draw(picture)
draw.ellipse((60, 40, 260, 160), fill=(200, 30, 30), outline="black", width=3)
draw.text((10, 10), "résumé", fill="blue", font=ImageFont.load_default(20))

for method in (
    Image.Resampling.NEAREST,
    Image.Resampling.BILINEAR,
    Image.Resampling.BICUBIC,
    Image.Resampling.LANCZOS,
):
    small = picture.resize((80, 50), method)
    red, green, blue = small.getpixel((40, 25))
    assert abs(red - 200) < 5 and abs(green - 30) < 5 and abs(blue - 30) < 5
assert picture.rotate(90, expand=True).size == (200, 320)
assert ImageOps.grayscale(picture).getextrema()[1] == 255
assert picture.filter(ImageFilter.GaussianBlur(4)).getpixel((160, 100))[0] > 180
assert ImageChops.difference(picture, ImageOps.mirror(ImageOps.mirror(picture))).getbbox() is None
assert picture.convert("L").point(lambda value: 255 * (value > 128)).getcolors() is not None

for name in ("a.png", "a.gif", "a.bmp", "a.tiff", "a.webp", "a.jpg"):
    options = {"lossless": True} if name == "a.webp" else {}
    picture.save(name, **options)
    with Image.open(name) as file:
        again = file.convert("RGB")
    limit = 60 if name.endswith(("jpg", "gif")) else 0
    assert again.size == (320, 200) and abs(again.getpixel((160, 100))[0] - 200) <= limit, name
frames = [picture.resize((40, 25)), picture.resize((40, 25)).rotate(45)]
frames[0].save("anim.gif", save_all=True, append_images=frames[1:], duration=100)
with Image.open("anim.gif") as animation:
    assert animation.n_frames == 2
assert features.check("zlib") and features.check("jpg")

print("ok", "Pillow", version("Pillow"))
