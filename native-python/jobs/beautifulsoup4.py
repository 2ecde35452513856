"""beautifulsoup4: a broken page through each of its parsers."""

from importlib.metadata import version

from bs4 import BeautifulSoup, Comment

PAGE = """<html><head><title>Zürich – Wetter</title></head><body>
<table id="t"><tr><th>day</th><th>°C</th></tr>
<tr><td>Mon</td><td>21</td></tr><tr><td>Tue</td><td>19.5</td></tr></table>
<div class="note big"><a href="/a?x=1&amp;y=2">first</a> <a href="/b">second</a><!-- hidden -->
</div></body>"""

for parser in ("html.parser", "lxml"):
    soup = BeautifulSoup(PAGE, parser)
    assert soup.title.string == "Zürich – Wetter"
    rows = [
        [cell.get_text(strip=True) for cell in row.find_all("td")] for row in soup.select("#t tr")
    ]
    assert rows == [[], ["Mon", "21"], ["Tue", "19.5"]], parser
    assert [link["href"] for link in soup.select("div.note > a[href]")] == ["/a?x=1&y=2", "/b"]
    assert soup.find(string=lambda text: isinstance(text, Comment)).strip() == "hidden"
    soup.find("a").replace_with("gone")
    assert len(soup.find_all("a")) == 1 and "gone" in soup.get_text()

feed = BeautifulSoup("<feed><entry n='1'/><entry n='2'/></feed>", "xml")
assert [entry["n"] for entry in feed.find_all("entry")] == ["1", "2"]
assert (
    BeautifulSoup("Größe".encode("latin-1"), "html.parser", from_encoding="latin-1").get_text()
    == "Größe"
)

print("ok", "beautifulsoup4", version("beautifulsoup4"))
