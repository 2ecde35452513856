"""pyarrow: a DataFrame goes to Parquet and back and by columns."""

from importlib.metadata import version

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

frame = pd.DataFrame({"city": ["Ulm", "Graz", "Ulm"], "sold": [3, 4, 5]})
frame["at"] = pd.to_datetime(["2026-01-01", "2026-01-02", None])
frame.to_parquet("sales.parquet")
pd.testing.assert_frame_equal(pd.read_parquet("sales.parquet"), frame)

table = pq.read_table("sales.parquet", columns=["sold"], filters=[("city", "=", "Ulm")])
assert table.to_pydict() == {"sold": [3, 5]}
assert pc.sum(table["sold"]).as_py() == 8
summed = pa.table(frame).group_by("city").aggregate([("sold", "sum")]).sort_by("city")
assert summed["sold_sum"].to_pylist() == [4, 8]
assert pq.read_metadata("sales.parquet").num_rows == 3

print("ok", "pyarrow", version("pyarrow"))
