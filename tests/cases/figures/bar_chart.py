#: runtime native
import matplotlib.pyplot as plt

plt.bar(["apples", "pears", "plums"], [4, 7, 2])
plt.title("Fruit")
#: images 537x436 png
# | [image 1: 537x436 PNG, "Fruit"]
# | bar chart "Fruit", x of apples, pears, plums, y 0 to 7.35; apples=4, pears=7, plums=2.
