from binascii import crc32
from struct import pack
from zlib import compress


def chunk(kind, data):
    return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))


head = pack(">IIBBBBB", 2, 1, 8, 0, 0, 0, 0)
parts = chunk(b"IHDR", head) + chunk(b"IDAT", compress(b"\0\0\xff")) + chunk(b"IEND", b"")
for number in range(23):
    with open(f"p{number:02}.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + parts)
with open("none.png", "wb") as file:
    file.write(b"no picture")
#: images 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png, 2x1 png
# | [image 1: 2x1 PNG, file p00.png]
# | [image 2: 2x1 PNG, file p01.png]
# | [image 3: 2x1 PNG, file p02.png]
# | [image 4: 2x1 PNG, file p03.png]
# | [image 5: 2x1 PNG, file p04.png]
# | [image 6: 2x1 PNG, file p05.png]
# | [image 7: 2x1 PNG, file p06.png]
# | [image 8: 2x1 PNG, file p07.png]
# | [image 9: 2x1 PNG, file p08.png]
# | [image 10: 2x1 PNG, file p09.png]
# | [image 11: 2x1 PNG, file p10.png]
# | [image 12: 2x1 PNG, file p11.png]
# | [image 13: 2x1 PNG, file p12.png]
# | [image 14: 2x1 PNG, file p13.png]
# | [image 15: 2x1 PNG, file p14.png]
# | [image 16: 2x1 PNG, file p15.png]
# | [image 17: 2x1 PNG, file p16.png]
# | [image 18: 2x1 PNG, file p17.png]
# | [image 19: 2x1 PNG, file p18.png]
# | [image 20: 2x1 PNG, file p19.png]
# | [an image was left out: an answer shows 20 images at most, file p20.png]
# | [an image was left out: an answer shows 20 images at most, file p21.png]
# | [an image was left out: an answer shows 20 images at most, file p22.png]
# | [files written: none.png (10 bytes), p00.png (68 bytes), p01.png (68 bytes), p02.png (68 bytes), p03.png (68 bytes), p04.png (68 bytes), p05.png (68 bytes), p06.png (68 bytes), p07.png (68 bytes), p08.png (68 bytes), p09.png (68 bytes), p10.png (68 bytes), p11.png (68 bytes), p12.png (68 bytes), p13.png (68 bytes), p14.png (68 bytes), p15.png (68 bytes), p16.png (68 bytes), p17.png (68 bytes), p18.png (68 bytes), and 4 more]
