#: runtime native
#: arguments {"timeout": 55}
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

warnings.simplefilter("error")
X = np.random.default_rng(0).random((300, 4))
y = (X[:, 0] > 0.5).astype(int)
forests = [RandomForestClassifier(10, random_state=0, n_jobs=jobs).fit(X, y).predict(X) for jobs in (1, 2)]
assert (forests[0] == forests[1]).all()
assert cross_val_score(RandomForestClassifier(5), X, y, cv=3, n_jobs=2).mean() > 0.8
assert KMeans(3, n_init=2, random_state=0).fit(X).cluster_centers_.shape == (3, 4)
print("ok")
# | ok
