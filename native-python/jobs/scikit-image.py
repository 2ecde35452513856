"""scikit-image: regions, edges and a filter on a drawn picture, through a file."""

from importlib.metadata import version

import numpy as np
from skimage import draw, feature, filters, io, measure, transform

image = np.zeros((80, 80))
image[draw.disk((25, 25), 10)] = 1
image[draw.disk((60, 55), 8)] = 1
assert [round(one.area) for one in measure.regionprops(measure.label(image > 0.5))] == [305, 193]
assert feature.canny(image).any() and filters.gaussian(image, 2).max() < 1
assert transform.resize(image, (40, 40), anti_aliasing=True).shape == (40, 40)
io.imsave("disks.png", (image * 255).astype(np.uint8), check_contrast=False)
assert io.imread("disks.png").sum() == 255 * image.sum()

print("ok", "scikit-image", version("scikit-image"))
