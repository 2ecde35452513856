"""lxml: XPath, broken HTML, XSLT, a schema, building a document."""

from importlib.metadata import version

from lxml import etree, html

shop = etree.fromstring("""<shop>
<item price="3.5" id="a">tea</item><item price="12" id="b">Kaffee – groß</item></shop>""")
assert shop.xpath("//item[@price > 10]/@id") == ["b"]
assert shop.xpath("sum(//item/@price)") == 15.5
assert [item.text for item in shop.iter("item")] == ["tea", "Kaffee – groß"]

page = html.fromstring("<html><body><p>One<p class=x>Two <b>bold<table><tr><td>1<td>2</table>")
assert page.xpath("//p[@class='x']")[0].text_content().startswith("Two bold")
assert [cell.text for cell in page.iter("td")] == ["1", "2"]

transform = etree.XSLT(
    etree.fromstring("""
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="/shop"><list><xsl:for-each select="item">
    <xsl:sort select="@id" order="descending"/><i><xsl:value-of select="@id"/></i>
  </xsl:for-each></list></xsl:template>
</xsl:stylesheet>""")
)
assert [one.text for one in transform(shop).getroot()] == ["b", "a"]

schema = etree.XMLSchema(
    etree.fromstring("""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="n" type="xs:integer"/>
</xs:schema>""")
)
assert schema.validate(etree.fromstring("<n>12</n>"))
assert not schema.validate(etree.fromstring("<n>x</n>"))

root = etree.Element("feed", nsmap={None: "urn:example"})
for number in range(1000):
    etree.SubElement(root, "entry", number=str(number)).text = "ü"
etree.ElementTree(root).write("feed.xml", encoding="utf-8", xml_declaration=True, pretty_print=True)
assert sum(1 for _ in etree.iterparse("feed.xml", tag="{urn:example}entry")) in (0, 1000)
assert len(etree.parse("feed.xml").getroot()) == 1000
try:
    etree.fromstring("<a><b></a>")
except etree.XMLSyntaxError as error:
    assert "mismatch" in str(error)
else:
    raise AssertionError("a broken document was accepted")

print("ok", "lxml", version("lxml"))
