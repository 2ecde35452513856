import sys

print("sklearn.cluster" in sys.modules)

import numpy as np
from sklearn.cluster import KMeans

points = np.array([[0.0], [0.1], [9.0], [9.1]])
model = KMeans(n_clusters=2, n_init=1, random_state=1).fit(points)
print(sorted(model.cluster_centers_.ravel().round(2).tolist()))
