#: runtime native
#: arguments {"timeout": 55}
import sqlite3

import numpy as np
import pandas as pd

table = pd.DataFrame({"k": np.arange(1000) % 7, "v": np.arange(1000.0), "t": pd.date_range("2024-01-01", periods=1000, freq="h", tz="Europe/Paris")})
table.to_csv("/mnt/data/t.csv.gz", index=False)
assert len(pd.read_csv("t.csv.gz", parse_dates=["t"])) == 1000
table.to_json("t.json", orient="records", date_format="iso")
table.to_pickle("/mnt/data/t.pkl")
assert pd.read_pickle("t.pkl").equals(table)
with sqlite3.connect("/mnt/data/t.db") as database:
    table.drop(columns="t").to_sql("t", database, index=False)
    assert pd.read_sql("select count(*) as n from t", database).n[0] == 1000
assert table.groupby("k").v.mean().shape == (7,)
print("ok")
# | ok
# | [files written: t.csv.gz (<n> bytes), t.db (20480 bytes), t.json (48891 bytes), t.pkl (<n> bytes)]
