# only: native
import pandas as pd

frame = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo"], "rain": [3.5, 12.0, 1.5]})
print(frame.groupby("city").rain.sum())
frame
