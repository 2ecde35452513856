#: runtime native
#: arguments {"timeout": 55}
import openpyxl
import pandas as pd

table = pd.DataFrame({"name": ["a", "b"], "value": [1.5, 2.5]})
table.to_excel("/mnt/data/table.xlsx", index=False)
assert pd.read_excel("table.xlsx").equals(table)
book = openpyxl.load_workbook("/mnt/data/table.xlsx")
book.active["C1"] = "=SUM(B2:B3)"
book.save("/mnt/data/changed.xlsx")
assert openpyxl.load_workbook("changed.xlsx").active["C1"].value == "=SUM(B2:B3)"
print("ok")
# | ok
# | [files written: changed.xlsx (<n> bytes), table.xlsx (<n> bytes)]
