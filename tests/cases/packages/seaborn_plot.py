#: runtime native
#: arguments {"timeout": 55}
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

table = pd.DataFrame({"x": [1, 2, 2, 3, 3, 3], "kind": list("aabbcc")})
sns.histplot(table, x="x", hue="kind", multiple="stack")
plt.show()
print("ok")
#: images 570x430 png
# | [image 1: 570x430 PNG]
# | histogram, x "x" 0.9 to 3.1, y "Count" 0 to 3.15; 4 bins from 1 to 3, sum 2, highest 2 at 2.5 to 3; 4 bins from 1 to 3, sum 2, highest 1 at 2 to 2.5; 4 bins from 1 to 3, sum 2, highest 1 at 1 to 1.5.
# | ok
