#: runtime native
import plotly.express as px
#: ends exception ModuleNotFoundError
# | Traceback (most recent call last):
# |   File "main.py", line 2, in <module>
# |     import plotly.express as px
# | ModuleNotFoundError: No module named 'plotly'
# | [note: no module `plotly` here; for plots there is: matplotlib, seaborn]
