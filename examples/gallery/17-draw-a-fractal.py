# Asked: Draw the Mandelbrot set.
import numpy as np
from PIL import Image

width, height, rounds = 560, 380, 80
y, x = np.mgrid[-1.25 : 1.25 : height * 1j, -2.4 : 1.28 : width * 1j]
c = x + 1j * y
z = np.zeros_like(c)
count = np.zeros(c.shape, int)
for _ in range(rounds):
    inside = np.abs(z) <= 2
    z[inside] = z[inside] ** 2 + c[inside]
    count += inside
shade = (count / rounds) ** 0.45
shade[count == rounds] = 0
colours = np.stack([shade * 255, shade**2 * 220, (1 - shade) * 90 * (shade > 0)], axis=-1)
print(f"{(count == rounds).mean():.1%} of the picture is in the set")
Image.fromarray(colours.astype(np.uint8)).quantize(48).convert("RGB").show()
