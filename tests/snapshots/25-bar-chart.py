# only: native
import matplotlib.pyplot as plt

plt.bar(["apples", "pears", "plums"], [4, 7, 2])
plt.title("Fruit")
