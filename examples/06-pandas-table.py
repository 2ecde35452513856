"""A table: pandas groups and the result is the value of the last expression."""

import pandas as pd

sales = pd.DataFrame(
    {
        "region": ["north", "south", "north", "east", "south", "east", "north"],
        "product": ["tea", "tea", "coffee", "tea", "coffee", "coffee", "tea"],
        "units": [12, 7, 30, 9, 14, 25, 8],
        "price": [3.5, 3.5, 6.0, 3.6, 6.1, 5.9, 3.4],
    }
)
sales["revenue"] = sales.units * sales.price
sales.groupby(["region", "product"])[["units", "revenue"]].sum()
