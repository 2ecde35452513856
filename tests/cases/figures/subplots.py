#: runtime native
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
left.hist([1, 1, 2, 3, 5, 8, 13], bins=4)
left.set_title("Histogram")
right.pie([60, 40], labels=["yes", "no"])
right.set_title("Votes")
figure.suptitle("Two views")
plt.show()
#: images 633x302 png
# | [image 1: 633x302 PNG, "Two views"]
# | 2 axes, "Two views": [1] histogram "Histogram", x 0.4 to 13.6, y 0 to 4.2; 4 bins from 1 to 13, sum 7, highest 4 at 1 to 4. [2] pie chart "Votes"; yes=60.0%, no=40.0%.
