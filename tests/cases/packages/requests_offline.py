#: runtime native
#: arguments {"timeout": 55}
import requests
import urllib3

for url in ("http://127.0.0.1:1/", "https://example.org/"):
    try:
        requests.get(url, timeout=5)
    except requests.ConnectionError as error:
        print("refused", urllib3.__name__)
assert requests.Request("GET", "https://example.org/", params={"q": 1}).prepare().url == "https://example.org/?q=1"
print("ok")
# | refused urllib3
# | refused urllib3
# | ok
