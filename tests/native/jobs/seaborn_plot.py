# images: 1
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

table = pd.DataFrame({"x": [1, 2, 2, 3, 3, 3], "kind": list("aabbcc")})
sns.histplot(table, x="x", hue="kind", multiple="stack")
plt.show()
print("ok")
