"""reportlab: a PDF with a table and a drawing, read again by pypdf."""

from importlib.metadata import version

import pypdf
from reportlab.graphics.shapes import Circle, Drawing
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

drawing = Drawing(60, 60)
drawing.add(Circle(30, 30, 20))
style = getSampleStyleSheet()["Title"]
parts = [Paragraph("Sales of Ulm", style), Table([["city", "sold"], ["Ulm", "42"]]), drawing]
SimpleDocTemplate("report.pdf", pagesize=A4).build(parts)
text = pypdf.PdfReader("report.pdf").pages[0].extract_text()
assert "Sales of Ulm" in text and "42" in text

print("ok", "reportlab", version("reportlab"))
