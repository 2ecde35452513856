"""python-docx: a report with headings, a table, styles and a picture, written and read again."""

import struct
import zlib
from importlib.metadata import version

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt, RGBColor


def chunk(kind, data):
    """One part of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


with open("red.png", "wb") as file:
    rows = b"".join(b"\0" + b"\xff\0\0" * 20 for _ in range(10))
    file.write(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 20, 10, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )

report = Document()
report.add_heading("Jahresbericht 2024", 0)
paragraph = report.add_paragraph("Umsatz: ")
run = paragraph.add_run("+12 %")
run.bold = True
run.font.size = Pt(14)
run.font.color.rgb = RGBColor(0xC0, 0, 0)
paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
report.add_paragraph("first", style="List Bullet")
table = report.add_table(rows=1, cols=2, style="Table Grid")
table.rows[0].cells[0].text, table.rows[0].cells[1].text = "city", "amount"
for city, amount in (("Lima", 3), ("上海", 5)):
    cells = table.add_row().cells
    cells[0].text, cells[1].text = city, str(amount)
report.add_picture("red.png", width=Cm(3))
report.core_properties.author = "sandbox"
report.save("report.docx")

again = Document("report.docx")
assert (
    again.paragraphs[0].text == "Jahresbericht 2024" and again.paragraphs[0].style.name == "Title"
)
assert again.paragraphs[1].text == "Umsatz: +12 %" and again.paragraphs[1].runs[1].bold
assert [[cell.text for cell in row.cells] for row in again.tables[0].rows] == [
    ["city", "amount"],
    ["Lima", "3"],
    ["上海", "5"],
]
assert len(again.inline_shapes) == 1 and abs(again.inline_shapes[0].width - Cm(3)) < 10
assert again.core_properties.author == "sandbox"

print("ok", "python-docx", version("python-docx"))
