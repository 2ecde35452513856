# only: native
from PIL import Image

picture = Image.new("RGB", (60, 40), "navy")
picture.show()
picture.size
