#: options --limit-images 2
#: runtime native
import matplotlib.pyplot as plt

for n in range(2):
    plt.figure(figsize=(1, 1))
    plt.plot([n])
    plt.show()
#: meta omitted {"images":0,"stderr":0,"stdout":0}
#: images 162x122 png, 150x122 png
# | [image 1: 162x122 PNG]
# | line plot, x -0.055 to 0.055, y -0.055 to 0.055; 1 point, first 0, last 0, min 0, max 0.
# | [image 2: 150x122 PNG]
# | line plot, x -0.055 to 0.055, y 0.945 to 1.055; 1 point, first 1, last 1, min 1, max 1.
# --- call
import matplotlib.pyplot as plt

for n in range(3):
    plt.figure(figsize=(1, 1))
    plt.plot([n])
    plt.show()
#: meta omitted {"images":1,"stderr":0,"stdout":0}
#: images 162x122 png, 150x122 png
# | [image 1: 162x122 PNG]
# | line plot, x -0.055 to 0.055, y -0.055 to 0.055; 1 point, first 0, last 0, min 0, max 0.
# | [image 2: 150x122 PNG]
# | line plot, x -0.055 to 0.055, y 0.945 to 1.055; 1 point, first 1, last 1, min 1, max 1.
# | [an image was left out: a job may show 2 images]
