#: runtime native
from PIL import Image

picture = Image.new("RGB", (60, 40), "navy")
picture.show()
picture.size
#: images 60x40 png
# | [image 1: 60x40 PNG]
# | (60, 40)
