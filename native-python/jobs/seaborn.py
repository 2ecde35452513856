"""seaborn: distributions, a regression, categories, a heat map."""

from importlib.metadata import version

import matplotlib

matplotlib.use("agg")

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import pyplot as plt

rng = np.random.default_rng(5)
tips = pd.DataFrame(
    {
        "bill": rng.gamma(3, 7, 120),
        "day": rng.choice(["Thu", "Fri", "Sat", "Sun"], 120),
        "smoker": rng.choice(["yes", "no"], 120),
    }
)
tips["tip"] = 1 + 0.15 * tips["bill"] + rng.normal(0, 0.5, 120)

sns.set_theme(style="whitegrid")
figure, axes = plt.subplots(2, 2, figsize=(9, 7))
sns.histplot(tips, x="bill", hue="smoker", kde=True, ax=axes[0, 0])
sns.regplot(tips, x="bill", y="tip", n_boot=50, ax=axes[0, 1])
sns.boxplot(tips, x="day", y="tip", hue="smoker", ax=axes[1, 0])
sns.heatmap(tips[["bill", "tip"]].corr(), annot=True, ax=axes[1, 1])
figure.savefig("overview.png")
grid = sns.relplot(tips, x="bill", y="tip", col="smoker", kind="scatter")
grid.savefig("grid.png")
assert len(grid.axes.flat) == 2
assert axes[1, 0].get_ylabel() == "tip"
assert plt.imread("overview.png").shape == (700, 900, 4)

print("ok", "seaborn", version("seaborn"))
