# Asked: When is our help desk busiest? Show it as a heat map of weekday and hour.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

random = np.random.default_rng(3)
hours, days = np.arange(8, 19), ["Mon", "Tue", "Wed", "Thu", "Fri"]
shape = np.exp(-(((hours - 10.3) / 1.8) ** 2)) + 0.7 * np.exp(-(((hours - 15) / 1.6) ** 2))
calls = random.poisson(np.outer([1.5, 1.1, 1.0, 1.0, 0.7], shape) * 22)
table = pd.DataFrame(calls, index=days, columns=hours)
peak = table.stack().idxmax()
print(f"busiest: {peak[0]} at {peak[1]}:00 with {table.loc[peak]} calls; {table.loc['Mon'].sum() / table.values.sum():.0%} of all calls come on Mondays")
plt.figure(figsize=(7, 3.2))
sns.heatmap(table, annot=True, fmt="d", cmap="rocket_r", cbar_kws={"label": "calls"})
plt.xlabel("hour")
plt.title("Calls by weekday and hour")
plt.tight_layout()
plt.show()
