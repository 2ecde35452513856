"""pandas: a table of sales: group, merge, pivot, resample, strings, files."""

import io
from importlib.metadata import version

import numpy as np
import pandas as pd

rng = np.random.default_rng(3)
days = pd.date_range("2024-01-01", periods=366, freq="D")
sales = pd.DataFrame(
    {
        "day": np.repeat(days, 10),
        "city": np.tile(["Berlin", "上海", "Lagos", "Lima", "Oslo"], 732),
        "amount": rng.integers(1, 500, 3660),
        "price": rng.uniform(1, 9, 3660).round(2),
    }
)
sales.loc[::100, "price"] = np.nan

by_city = sales.groupby("city")["amount"].agg(["sum", "mean", "max"])
assert by_city["sum"].sum() == sales["amount"].sum()
assert list(by_city.index) == sorted(["Berlin", "上海", "Lagos", "Lima", "Oslo"])
assert sales["price"].isna().sum() == 37
assert sales["price"].fillna(sales["price"].median()).notna().all()

months = sales.set_index("day")["amount"].resample("ME").sum()
assert len(months) == 12 and months.sum() == sales["amount"].sum()
assert months.rolling(3).mean().notna().sum() == 10
pivot = sales.pivot_table(
    index=sales["day"].dt.quarter, columns="city", values="amount", aggfunc="sum"
)
assert pivot.shape == (4, 5)

countries = pd.DataFrame({"city": ["Berlin", "Lima", "上海"], "country": ["DE", "PE", "CN"]})
merged = sales.merge(countries, on="city", how="left")
assert len(merged) == 3660 and merged["country"].isna().sum() == 2 * 732
ranked = sales.sort_values(["amount", "price"], ascending=False).head(3)
assert ranked["amount"].is_monotonic_decreasing
assert sales["amount"].quantile(0.5) == np.percentile(sales["amount"], 50)
assert sales.query("amount > 490 and city == 'Lima'")["amount"].min() > 490
assert sales["city"].str.upper().str.len().max() == 6
assert pd.cut(sales["amount"], [0, 100, 500]).value_counts().sum() == 3660
assert abs(sales[["amount", "price"]].corr().loc["amount", "price"]) < 0.2
assert (
    pd.to_datetime("2024-03-10 12:00").tz_localize("Europe/Berlin").utcoffset().total_seconds()
    == 3600
)
assert sales["city"].astype("category").cat.categories.size == 5
assert pd.isna(pd.array([1, None], dtype="Int64")[1])

sales.to_csv("sales.csv", index=False)
again = pd.read_csv("sales.csv", parse_dates=["day"])
pd.testing.assert_frame_equal(again, sales, check_dtype=False)
assert pd.read_json(
    io.StringIO(sales.head(5).to_json(orient="records", date_format="iso")), orient="records"
).shape == (5, 4)
by_city.to_excel("cities.xlsx", sheet_name="cities")
assert pd.read_excel("cities.xlsx", index_col=0)["sum"].tolist() == by_city["sum"].tolist()
assert "Berlin" in by_city.to_string()

print("ok", "pandas", version("pandas"))
