#: runtime native
#: arguments {"timeout": 55}
import matplotlib.pyplot as plt
import networkx as nx

graph = nx.karate_club_graph()
assert max(nx.pagerank(graph).values()) > 0.05
nx.draw(graph, nx.spring_layout(graph, seed=0), with_labels=True)
plt.show()
print("ok")
#: images 660x500 png
# | [image 1: 660x500 PNG]
# | scatter plot and line segments; 34 points, x -0.4968 to 0.4886, y -0.707 to 1; 78 segments; text "0", "1", "2", "3", "4", "5"….
# | ok
