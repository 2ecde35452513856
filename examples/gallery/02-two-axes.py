# Asked: Plot temperature and rain of this year's months in one picture, each with its own axis.
import matplotlib.pyplot as plt

months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
temperature = [1.2, 2.4, 6.1, 10.3, 14.8, 18.0, 20.1, 19.6, 15.7, 10.9, 5.6, 2.3]
rain = [44, 38, 42, 37, 54, 69, 58, 60, 46, 41, 45, 52]

figure, left = plt.subplots(figsize=(7, 3.8))
left.bar(months, rain, color="#9ecae1", label="rain")
left.set_ylabel("rain (mm)")
right = left.twinx()
right.plot(months, temperature, color="#d62728", marker="o", label="temperature")
right.set_ylabel("temperature (°C)")
figure.legend(loc="upper left", bbox_to_anchor=(0, 1), bbox_transform=left.transAxes)
left.set_title("Climate of a year")
figure.tight_layout()
plt.show()
