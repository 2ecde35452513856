#: runtime native
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

frame = pd.DataFrame({"day": ["Mon", "Mon", "Tue", "Tue"], "sales": [3, 5, 4, 8]})
sns.barplot(frame, x="day", y="sales", errorbar=None)
plt.show()
#: images 557x434 png
# | [image 1: 557x434 PNG]
# | bar chart, x "day" of Mon, Tue, y "sales" 0 to 6.3; Mon=4, Tue=6.
