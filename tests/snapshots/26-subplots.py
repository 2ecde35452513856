# only: native
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
left.hist([1, 1, 2, 3, 5, 8, 13], bins=4)
left.set_title("Histogram")
right.pie([60, 40], labels=["yes", "no"])
right.set_title("Votes")
figure.suptitle("Two views")
plt.show()
