"""requests without a network: redirect, cookies, JSON, encodings, errors, answered from memory."""

import io
import json
from importlib.metadata import version

import requests
from requests.adapters import BaseAdapter
from urllib3 import HTTPResponse


class FromMemory(BaseAdapter):
    """Answers each request with what it saw."""

    def send(self, request, **_options):
        """Builds the answer as a real adapter does."""
        status, headers = 200, {"Content-Type": "application/json; charset=utf-8"}
        seen = {
            "method": request.method,
            "url": request.url,
            "cookie": request.headers.get("Cookie"),
            "body": request.body
            if isinstance(request.body, str)
            else (request.body or b"").decode(),
        }
        if request.url.endswith("/old"):
            status, headers = 302, {"Location": "/new", "Set-Cookie": "key=42; Path=/"}
        elif request.url.endswith("/missing"):
            status = 404
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = status, request.url, request
        answer.headers.update(headers)
        answer.raw = HTTPResponse(
            io.BytesIO(json.dumps(seen).encode()),
            headers=headers,
            status=status,
            preload_content=False,
        )
        requests.cookies.extract_cookies_to_jar(answer.cookies, request, answer.raw)
        if "Set-Cookie" in headers:
            answer.cookies.set("key", "42", domain="shop.example", path="/")
            session.cookies.update(answer.cookies)
        answer.encoding = requests.utils.get_encoding_from_headers(answer.headers)
        return answer

    def close(self):
        """Nothing is open."""


session = requests.Session()
session.mount("https://", FromMemory())
session.trust_env = False

answer = session.get("https://shop.example/search", params={"q": "tea & milk", "page": 2})
assert answer.ok and answer.json()["url"] == "https://shop.example/search?q=tea+%26+milk&page=2"
moved = session.get("https://shop.example/old")
assert moved.url == "https://shop.example/new" and [one.status_code for one in moved.history] == [
    302
]
assert moved.json()["cookie"] == "key=42"
assert (
    session.post("https://shop.example/", json={"ü": [1, 2]}).json()["body"]
    == '{"\\u00fc": [1, 2]}'
)
assert session.put("https://shop.example/", data={"a": "1 2"}).json()["body"] == "a=1+2"
try:
    session.get("https://shop.example/missing").raise_for_status()
except requests.HTTPError as error:
    assert "404" in str(error)
else:
    raise AssertionError("404 was no error")
form = requests.Request(
    "POST", "https://shop.example/", files={"file": ("a.txt", b"text")}
).prepare()
assert (
    form.headers["Content-Type"].startswith("multipart/form-data; boundary=")
    and b'filename="a.txt"' in form.body
)
text = requests.Response()
text._content = "Grüße aus Köln, schöne Aussicht über die Dächer".encode()
assert text.text.startswith("Grüße")

print("ok", "requests", version("requests"))
