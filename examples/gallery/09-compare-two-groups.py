# Asked: Do the two machines fill the same amount? Here are 40 bottles of each.
import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

random = np.random.default_rng(11)
a, b = random.normal(500.4, 2.1, 40), random.normal(498.9, 2.6, 40)
test = stats.ttest_ind(a, b, equal_var=False)
low, high = test.confidence_interval(0.95)
print(f"A: {a.mean():.2f} ± {a.std(ddof=1):.2f} ml, B: {b.mean():.2f} ± {b.std(ddof=1):.2f} ml")
print(f"difference {a.mean() - b.mean():.2f} ml, 95 % interval {low:.2f} to {high:.2f}, p = {test.pvalue:.4f}")

figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.4))
bins = np.arange(492, 508, 1.5)
axes[0].hist([a, b], bins=bins, label=["A", "B"])
axes[0].set_xlabel("ml")
axes[0].legend()
axes[1].boxplot([a, b], tick_labels=["A", "B"])
axes[1].set_ylabel("ml")
figure.suptitle("Fill of two machines")
figure.tight_layout()
plt.show()
