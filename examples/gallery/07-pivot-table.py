# Asked: Turn the sales file into a table of months by regions with totals.
# file: sales.csv
import pandas as pd

sales = pd.read_csv("sales.csv").dropna()
sales["revenue"] = sales["units"] * sales["price"]
sales.pivot_table(index="month", columns="region", values="revenue", aggfunc="sum", margins=True, margins_name="total").round(2)
