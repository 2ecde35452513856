# only: native
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

frame = pd.DataFrame({"day": ["Mon", "Mon", "Tue", "Tue"], "sales": [3, 5, 4, 8]})
sns.barplot(frame, x="day", y="sales", errorbar=None)
plt.show()
