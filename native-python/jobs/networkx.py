"""networkx: paths, flows, ranking, communities, and a drawn layout."""

from importlib.metadata import version

import matplotlib

matplotlib.use("agg")

import networkx as nx
from matplotlib import pyplot as plt

roads = nx.Graph()
roads.add_weighted_edges_from(
    [("A", "B", 4), ("A", "C", 2), ("C", "B", 1), ("B", "D", 5), ("C", "D", 8)]
)
assert nx.shortest_path(roads, "A", "D", weight="weight") == ["A", "C", "B", "D"]
assert nx.shortest_path_length(roads, "A", "D", weight="weight") == 8
assert nx.minimum_spanning_tree(roads).size(weight="weight") == 8

pipes = nx.DiGraph()
for start, end, capacity in (
    ("s", "a", 3),
    ("s", "b", 2),
    ("a", "t", 2),
    ("b", "t", 3),
    ("a", "b", 1),
):
    pipes.add_edge(start, end, capacity=capacity)
assert nx.maximum_flow_value(pipes, "s", "t") == 5
assert list(nx.topological_sort(pipes)) in (["s", "a", "b", "t"],)

club = nx.karate_club_graph()
rank = nx.pagerank(club)
assert max(rank, key=rank.get) == 33 and abs(sum(rank.values()) - 1) < 1e-6
assert len(nx.community.louvain_communities(club, seed=1)) in range(3, 6)
assert nx.is_connected(club) and nx.diameter(club) == 5
assert nx.to_numpy_array(roads, nodelist="ABCD")[0, 1] == 4

figure, axes = plt.subplots()
nx.draw_networkx(club, nx.spring_layout(club, seed=3), ax=axes, node_size=80, font_size=6)
nx.draw_networkx_edge_labels(roads, nx.kamada_kawai_layout(roads), ax=axes)
figure.savefig("club.png")
assert plt.imread("club.png").shape == (480, 640, 4)
nx.write_graphml(roads, "roads.graphml")
assert nx.read_graphml("roads.graphml")["A"]["C"]["weight"] == 2

print("ok", "networkx", version("networkx"))
