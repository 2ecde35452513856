"""pypdf: pages are joined, turned, encrypted and read."""

from importlib.metadata import version

import pypdf

writer = pypdf.PdfWriter()
for width in (100, 200):
    writer.add_blank_page(width, 300)
writer.add_metadata({"/Title": "Two"})
writer.pages[1].rotate(90)
writer.encrypt("secret")
writer.write("two.pdf")
reader = pypdf.PdfReader("two.pdf", password="secret")
assert len(reader.pages) == 2 and reader.metadata.title == "Two"
assert reader.pages[1].rotation == 90 and reader.pages[0].mediabox.width == 100

print("ok", "pypdf", version("pypdf"))
