"""scikit-learn: clustering, classification, regression, one and two workers, a pipeline, text."""

from importlib.metadata import version

import numpy as np
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_iris, make_blobs, make_regression
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.manifold import TSNE
from sklearn.metrics import pairwise_distances_argmin, r2_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

points, owner = make_blobs(300, centers=[[0, 0], [10, 10], [0, 10]], random_state=1)
clusters = KMeans(3, n_init=3, random_state=1).fit(points)
assert len(set(clusters.labels_[owner == 0])) == 1 and clusters.inertia_ < 1000
assert set(DBSCAN(eps=2).fit_predict(points)) >= {0, 1, 2}
assert pairwise_distances_argmin(points[:5], points).tolist() == [0, 1, 2, 3, 4]

flowers, kind = load_iris(return_X_y=True)
train, test, train_kind, test_kind = train_test_split(flowers, kind, random_state=2)
for model in (
    make_pipeline(StandardScaler(), LogisticRegression()),
    SVC(),
    KNeighborsClassifier(5),
    RandomForestClassifier(20, random_state=3, n_jobs=1),
    RandomForestClassifier(20, random_state=3, n_jobs=2),
):
    assert model.fit(train, train_kind).score(test, test_kind) > 0.85, model
assert cross_val_score(LogisticRegression(max_iter=500), flowers, kind, cv=3).mean() > 0.9
assert PCA(2).fit(flowers).explained_variance_ratio_[0] > 0.9
assert TSNE(2, perplexity=5, max_iter=250, random_state=4).fit_transform(flowers[:40]).shape == (
    40,
    2,
)

table, target = make_regression(400, 6, noise=1.0, random_state=5)
assert LinearRegression().fit(table, target).score(table, target) > 0.99
assert Lasso(0.1).fit(table, target).score(table, target) > 0.99
boosted = HistGradientBoostingRegressor(max_iter=40, random_state=6).fit(table, target)
assert r2_score(target, boosted.predict(table)) > 0.9

texts = TfidfVectorizer().fit_transform(["a red apple", "a green apple", "the blue sea"])
likeness = (texts @ texts.T).toarray()
assert likeness[0, 1] > likeness[0, 2] and np.allclose(np.diag(likeness), 1)

print("ok", "scikit-learn", version("scikit-learn"))
