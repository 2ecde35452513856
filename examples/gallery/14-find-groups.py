# Asked: Are there natural groups in these customers?
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

random = np.random.default_rng(5)
customers = np.vstack(
    [
        random.normal((12, 30), (3, 6), (40, 2)),
        random.normal((30, 75), (5, 8), (35, 2)),
        random.normal((48, 25), (4, 7), (25, 2)),
    ]
)
scores = {}
for count in range(2, 7):
    scores[count] = silhouette_score(customers, KMeans(count, n_init=10, random_state=0).fit_predict(customers))
best = max(scores, key=scores.get)
print("score by number of groups:", {count: round(float(score), 2) for count, score in scores.items()}, "->", best)
model = KMeans(best, n_init=10, random_state=0).fit(customers)
for label, (visits, basket) in enumerate(model.cluster_centers_):
    print(f"group {label}: {(model.labels_ == label).sum()} customers, {visits:.0f} visits a year, {basket:.0f} a visit")
plt.figure(figsize=(6, 4))
plt.scatter(*customers.T, c=model.labels_, cmap="viridis", s=22)
plt.plot(*model.cluster_centers_.T, "rx", markersize=10)
plt.xlabel("visits a year")
plt.ylabel("spent a visit")
plt.title("Customers in groups")
plt.show()
