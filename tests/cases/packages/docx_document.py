#: runtime native
#: arguments {"timeout": 55}
import docx

document = docx.Document()
document.add_heading("Title", 1)
document.add_paragraph("A paragraph.")
document.add_table(2, 2).cell(0, 0).text = "cell"
document.save("/mnt/data/letter.docx")
read = docx.Document("letter.docx")
assert [p.text for p in read.paragraphs] == ["Title", "A paragraph."]
assert read.tables[0].cell(0, 0).text == "cell"
print("ok")
# | ok
# | [files written: letter.docx (<n> bytes)]
