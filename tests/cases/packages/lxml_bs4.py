#: runtime native
#: arguments {"timeout": 55}
from bs4 import BeautifulSoup
from lxml import etree

page = "<html><body><p class='a'>one</p><p>two</p></body></html>"
for parser in ("lxml", "html.parser"):
    assert [p.text for p in BeautifulSoup(page, parser).find_all("p")] == ["one", "two"]
tree = etree.fromstring("<a><b k='1'>t</b></a>")
assert tree.xpath("//b/@k") == ["1"]
etree.ElementTree(tree).write("tree.xml")
assert etree.parse("tree.xml").getroot().tag == "a"
print("ok")
# | ok
# | [files written: tree.xml (21 bytes)]
