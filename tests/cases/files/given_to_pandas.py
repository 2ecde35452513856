#: runtime auto
#: arguments {"files": [{"path": "in/data.csv", "text": "a,b\n1,2\n3,4\n"}]}
import pandas as pd

print(pd.read_csv("/mnt/data/in/data.csv").sum().to_dict())
#: ran native because `pandas` needs the native runtime
# | {'a': 4, 'b': 6}
