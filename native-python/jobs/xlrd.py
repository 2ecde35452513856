"""xlrd: an old Excel file (BIFF2, written by the few lines below), its numbers, texts and dates."""

import struct
from importlib.metadata import version

import xlrd


def record(kind, data):
    """One record of the file: number, length, content."""
    return struct.pack("<HH", kind, len(data)) + data


def cell(kind, row, column, content):
    """A cell's record: place, three bytes of format, content."""
    return record(kind, struct.pack("<HH3x", row, column) + content)


with open("old.xls", "wb") as file:
    file.write(record(0x0009, struct.pack("<HH", 2, 0x10)))
    for column, text in enumerate(("city", "amount", "day")):
        file.write(cell(0x0004, 0, column, bytes([len(text)]) + text.encode()))
    for row, (city, amount, day) in enumerate((("Lima", 2.5, 45351), ("Oslo", 4.0, 45352)), 1):
        file.write(cell(0x0004, row, 0, bytes([len(city)]) + city.encode()))
        file.write(cell(0x0003, row, 1, struct.pack("<d", amount)))
        file.write(cell(0x0002, row, 2, struct.pack("<H", day)))
    file.write(record(0x000A, b""))

book = xlrd.open_workbook("old.xls")
sheet = book.sheet_by_index(0)
assert (book.biff_version, sheet.nrows, sheet.ncols) == (20, 3, 3)
assert sheet.row_values(0) == ["city", "amount", "day"]
assert sum(sheet.col_values(1, start_rowx=1)) == 6.5
assert sheet.cell_type(1, 0) == xlrd.XL_CELL_TEXT and sheet.cell_type(1, 1) == xlrd.XL_CELL_NUMBER
assert (
    xlrd.xldate_as_datetime(sheet.cell_value(1, 2), book.datemode).date().isoformat()
    == "2024-02-29"
)
assert xlrd.xldate_as_tuple(sheet.cell_value(2, 2), 0)[:3] == (2024, 3, 1)
try:
    xlrd.open_workbook(file_contents=b"plain text")
except xlrd.XLRDError as error:
    assert "Unsupported format" in str(error)
else:
    raise AssertionError("a text was read as Excel")

print("ok", "xlrd", version("xlrd"))
