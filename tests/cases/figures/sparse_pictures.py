#: runtime native
import os

for number in range(60):
    fd = os.open(f"p{number:02}.png", os.O_CREAT | os.O_RDWR)
    os.write(fd, b"\x89PNG\r\n\x1a\n")
    os.ftruncate(fd, 16 << 20)
    os.close(fd)
# | [image 1 of 1 left out, 0x0: broken data, file p00.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p01.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p02.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p03.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p04.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p05.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p06.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p07.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p08.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p09.png]
# | [an image was left out: 16777216 bytes, with room for 0, file p10.png]
# | [... and 49 more of these]
# | [files written: p00.png (16777216 bytes), p01.png (16777216 bytes), p02.png (16777216 bytes), p03.png (16777216 bytes), p04.png (16777216 bytes), p05.png (16777216 bytes), p06.png (16777216 bytes), p07.png (16777216 bytes), p08.png (16777216 bytes), p09.png (16777216 bytes), p10.png (16777216 bytes), p11.png (16777216 bytes), p12.png (16777216 bytes), p13.png (16777216 bytes), p14.png (16777216 bytes), p15.png (16777216 bytes), p16.png (16777216 bytes), p17.png (16777216 bytes), p18.png (16777216 bytes), p19.png (16777216 bytes), and 40 more]
