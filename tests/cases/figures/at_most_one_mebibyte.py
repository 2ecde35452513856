#: options --limit-image-bytes 1
#: runtime native
# 512 x 512 pixels of noise are 768 KiB as PNG.
import random

from PIL import Image

pixels = random.Random(1).randbytes(512 * 512 * 3)
Image.frombytes("RGB", (512, 512), pixels).save("0.png")
Image.open("0.png").show()
#: meta omitted {"images":0,"stderr":0,"stdout":0}
#: images 384x384 jpeg
# | [image 1: 384x384 JPEG, file /mnt/data/0.png]
# | [files written: 0.png (<n> bytes)]
# --- call
import random

from PIL import Image

pixels = random.Random(1).randbytes(512 * 512 * 3)
for n in range(2):
    Image.frombytes("RGB", (512, 512), pixels).save(f"{n}.png")
    Image.open(f"{n}.png").show()
#: meta omitted {"images":1,"stderr":0,"stdout":0}
#: images 384x384 jpeg
# | [image 1: 384x384 JPEG, file /mnt/data/0.png]
# | [an image was left out: the images of this job exceed 1048576 bytes]
# | [files written: 0.png (<n> bytes), 1.png (<n> bytes)]
