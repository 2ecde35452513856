# Asked: These are the readings of a cooling cup of tea. When is it at 40 °C?
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import curve_fit

minutes = np.array([0, 3, 6, 10, 15, 20, 25, 30])
degrees = np.array([88.0, 79.9, 73.4, 66.1, 58.2, 52.0, 47.1, 43.2])


def cooling(t, room, start, rate):
    return room + (start - room) * np.exp(-rate * t)


(room, start, rate), covariance = curve_fit(cooling, minutes, degrees, p0=(20, 88, 0.05))
when = np.log((start - room) / (40 - room)) / rate
print(f"room {room:.1f} °C, rate {rate:.4f} per minute (± {np.sqrt(covariance[2, 2]):.4f})")
print(f"40 °C after {when:.1f} minutes")

t = np.linspace(0, 45, 200)
plt.figure(figsize=(6.5, 3.8))
plt.plot(t, cooling(t, room, start, rate), label="fit")
plt.plot(minutes, degrees, "o", label="readings")
plt.axhline(40, color="grey", linestyle=":")
plt.plot([when], [40], "r*", markersize=12, label=f"{when:.1f} min")
plt.xlabel("minutes")
plt.ylabel("°C")
plt.title("Newton's law of cooling")
plt.legend()
plt.show()
