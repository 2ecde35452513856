# Asked: Make an Excel file of the sales with a sum under each column and a chart.
# file: sales.csv
import csv

from openpyxl import Workbook, load_workbook
from openpyxl.chart import LineChart, Reference
from openpyxl.styles import Font

rows = list(csv.DictReader(open("sales.csv")))
months = sorted({row["month"] for row in rows})
units = {(row["month"], row["region"]): int(row["units"] or 0) for row in rows}

book = Workbook()
sheet = book.active
sheet.title = "units"
sheet.append(["month", "north", "south"])
for month in months:
    sheet.append([month, units[month, "north"], units[month, "south"]])
last = len(months) + 1
sheet.append(["sum", f"=SUM(B2:B{last})", f"=SUM(C2:C{last})"])
for cell in sheet[1] + sheet[last + 1]:
    cell.font = Font(bold=True)
chart = LineChart()
chart.add_data(Reference(sheet, min_col=2, max_col=3, min_row=1, max_row=last), titles_from_data=True)
chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=last))
sheet.add_chart(chart, "E2")
book.save("sales.xlsx")

for row in load_workbook("sales.xlsx")["units"].iter_rows(values_only=True):
    print(*row, sep="\t")
