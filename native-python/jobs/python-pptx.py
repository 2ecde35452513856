"""python-pptx: slides with text, a table, a chart and a picture, read again."""

import io
from importlib.metadata import version

import pptx
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

deck = pptx.Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = "Sales"
table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
table.cell(1, 1).text = "42"
data = CategoryChartData()
data.categories = ["Ulm", "Graz"]
data.add_series("sold", (3, 4))
place = (Inches(1), Inches(3), Inches(4), Inches(3))
slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
picture = io.BytesIO()
Image.new("RGB", (8, 8), "red").save(picture, "PNG")
slide.shapes.add_picture(picture, Inches(6), Inches(3))
deck.save("deck.pptx")
shapes = list(pptx.Presentation("deck.pptx").slides[0].shapes)
assert shapes[0].text_frame.text == "Sales" and shapes[1].table.cell(1, 1).text == "42"
assert shapes[2].has_chart and shapes[3].image.size == (8, 8)

print("ok", "python-pptx", version("python-pptx"))
