"""PyPDF2: text out of a PDF made by a few lines below, pages merged, turned and encrypted."""

from importlib.metadata import version

from PyPDF2 import PdfMerger, PdfReader, PdfWriter


def pdf_of(text):
    """A PDF of one page with one line in Helvetica."""
    drawing = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


for name in ("one", "two"):
    with open(f"{name}.pdf", "wb") as file:
        file.write(pdf_of(f"This is page {name}"))
assert PdfReader("one.pdf").pages[0].extract_text().strip() == "This is page one"

merger = PdfMerger()
merger.append("one.pdf")
merger.append("two.pdf")
merger.write("both.pdf")
merger.close()
both = PdfReader("both.pdf")
assert [page.extract_text().strip() for page in both.pages] == [
    "This is page one",
    "This is page two",
]

writer = PdfWriter()
writer.add_page(both.pages[1])
writer.pages[0].rotate(90)
writer.add_metadata({"/Title": "Bericht"})
writer.encrypt("secret")
with open("locked.pdf", "wb") as file:
    writer.write(file)
locked = PdfReader("locked.pdf")
assert locked.is_encrypted and locked.decrypt("secret")
assert locked.metadata.title == "Bericht" and locked.pages[0]["/Rotate"] == 90

print("ok", "PyPDF2", version("PyPDF2"))
