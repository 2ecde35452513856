"""XlsxWriter: formats, formulas and a chart, read again by openpyxl."""

from importlib.metadata import version

import openpyxl
import pandas as pd
import xlsxwriter

with xlsxwriter.Workbook("report.xlsx") as book:
    sheet = book.add_worksheet("Sales")
    sheet.write_row("A1", ["city", "sold"], book.add_format({"bold": True}))
    sheet.write_column("B2", [3, 4])
    sheet.write_formula("B4", "=SUM(B2:B3)", None, 7)
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Sales!$B$2:$B$3"})
    sheet.insert_chart("D2", chart)
read = openpyxl.load_workbook("report.xlsx")["Sales"]
assert read["A1"].font.bold and read["B4"].value == "=SUM(B2:B3)" and len(read._charts) == 1
with pd.ExcelWriter("frame.xlsx", engine="xlsxwriter") as writer:
    pd.DataFrame({"a": [1, 2]}).to_excel(writer, index=False)
assert pd.read_excel("frame.xlsx")["a"].tolist() == [1, 2]

print("ok", "XlsxWriter", version("XlsxWriter"))
