# Asked: What is the fastest way from A to H in this network? Draw it.
import matplotlib.pyplot as plt
import networkx as nx

graph = nx.Graph()
graph.add_weighted_edges_from(
    [("A", "B", 4), ("A", "C", 3), ("B", "D", 5), ("C", "D", 8), ("C", "E", 4), ("D", "F", 2), ("E", "F", 6), ("E", "G", 5),
     ("F", "H", 7), ("G", "H", 3)]
)
way = nx.shortest_path(graph, "A", "H", weight="weight")
print(" -> ".join(way), "takes", nx.path_weight(graph, way, "weight"))
for detour in list(nx.shortest_simple_paths(graph, "A", "H", weight="weight"))[1:3]:
    print("next best:", " -> ".join(detour), "takes", nx.path_weight(graph, detour, "weight"))

place = nx.kamada_kawai_layout(graph)
on_way = list(zip(way, way[1:]))
plt.figure(figsize=(6, 4))
nx.draw(graph, place, with_labels=True, node_color="#cfe8cf", node_size=600)
nx.draw_networkx_edges(graph, place, edgelist=on_way, width=3, edge_color="#d62728")
nx.draw_networkx_edge_labels(graph, place, nx.get_edge_attributes(graph, "weight"))
plt.title("The fastest way")
plt.show()
