#: runtime native
import pandas as pd

frame = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo"], "rain": [3.5, 12.0, 1.5]})
print(frame.groupby("city").rain.sum())
frame
# | city
# | Bergen    12.0
# | Oslo       5.0
# | Name: rain, dtype: float64
# |      city  rain
# | 0    Oslo   3.5
# | 1  Bergen  12.0
# | 2    Oslo   1.5
