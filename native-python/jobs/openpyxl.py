"""openpyxl: an Excel file with formulas, styles and a chart, written and read again."""

from datetime import date
from importlib.metadata import version

from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter

book = Workbook()
sheet = book.active
sheet.title = "Verkäufe"
sheet.append(["month", "amount", "day"])
for month in range(1, 13):
    sheet.append([f"month {month}", month * 100.5, date(2024, month, 1)])
sheet["B14"] = "=SUM(B2:B13)"
for cell in sheet[1]:
    cell.font = Font(bold=True, color="FFFFFF")
    cell.fill = PatternFill("solid", fgColor="336699")
sheet.column_dimensions[get_column_letter(1)].width = 18
sheet.merge_cells("D1:E1")
sheet.freeze_panes = "A2"
chart = BarChart()
chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=13), titles_from_data=True)
sheet.add_chart(chart, "G2")
book.create_sheet("empty")
book.save("sales.xlsx")

again = load_workbook("sales.xlsx")
assert again.sheetnames == ["Verkäufe", "empty"]
sheet = again["Verkäufe"]
assert sheet["B14"].value == "=SUM(B2:B13)"
assert sum(row[1] for row in sheet.iter_rows(min_row=2, max_row=13, values_only=True)) == 7839
assert sheet["C3"].value.date() == date(2024, 2, 1)
assert sheet["A1"].font.bold and sheet["A1"].fill.fgColor.rgb == "00336699"
assert sheet.freeze_panes == "A2" and str(sheet.merged_cells) == "D1:E1"
assert len(list(load_workbook("sales.xlsx", read_only=True)["Verkäufe"].rows)) == 14

print("ok", "openpyxl", version("openpyxl"))
