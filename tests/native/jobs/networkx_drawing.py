# images: 1
import matplotlib.pyplot as plt
import networkx as nx

graph = nx.karate_club_graph()
assert max(nx.pagerank(graph).values()) > 0.05
nx.draw(graph, nx.spring_layout(graph, seed=0), with_labels=True)
plt.show()
print("ok")
