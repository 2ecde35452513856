"""polars: lazy and eager queries, CSV, Parquet, and numbers for numpy."""

from importlib.metadata import version

import polars as pl

frame = pl.DataFrame({"city": ["Ulm", "Graz", "Ulm"], "sold": [3, 4, 5]})
frame.write_csv("sales.csv")
frame.write_parquet("sales.parquet")
query = pl.scan_csv("sales.csv").group_by("city").agg(pl.col("sold").sum()).sort("city")
assert query.collect().to_dicts() == [{"city": "Graz", "sold": 4}, {"city": "Ulm", "sold": 8}]
assert pl.read_parquet("sales.parquet").equals(frame)
joined = frame.join(pl.DataFrame({"city": ["Ulm"], "people": [128_000]}), on="city", how="left")
assert joined["people"].null_count() == 1
assert frame.with_columns(pl.col("sold").rolling_mean(2).alias("mean"))["mean"][2] == 4.5
assert frame["sold"].to_numpy().sum() == 12
assert pl.SQLContext(sales=frame).execute("SELECT max(sold) m FROM sales").collect()["m"][0] == 5

print("ok", "polars", version("polars"))
