"""urllib3 without a network: addresses, retries, forms, compressed answers, refused connections."""

import gzip
import io
from importlib.metadata import version

import urllib3
from urllib3.filepost import encode_multipart_formdata
from urllib3.util import Retry, Timeout, make_headers, parse_url

address = parse_url("https://user:pw@shop.example:8443/a%20b?q=1#top")
assert (address.scheme, address.host, address.port, address.path, address.query) == (
    "https",
    "shop.example",
    8443,
    "/a%20b",
    "q=1",
)
assert parse_url("http://MÜNCHEN.example/").host == "xn--mnchen-3ya.example"
body, kind = encode_multipart_formdata({"name": "ü", "file": ("a.bin", b"\0\1")}, boundary="xx")
assert kind == "multipart/form-data; boundary=xx" and body.count(b"--xx") == 3
assert make_headers(basic_auth="a:b")["authorization"] == "Basic YTpi"

packed = gzip.compress(b"line one\nline two\n" * 100)
answer = urllib3.HTTPResponse(
    io.BytesIO(packed), headers={"content-encoding": "gzip"}, status=200, preload_content=False
)
assert (
    answer.read(8) == b"line one"
    and answer.read() == b"\nline two\n" + b"line one\nline two\n" * 99
)
assert urllib3.HTTPResponse(b'{"a": [1, 2]}', status=200).json() == {"a": [1, 2]}
headers = urllib3.HTTPHeaderDict({"Accept": "a"})
headers.add("accept", "b")
assert headers["ACCEPT"] == "a, b"

retry = Retry(total=2, backoff_factor=0)
retry = retry.increment("GET", "/", error=urllib3.exceptions.ConnectTimeoutError())
assert retry.total == 1 and retry.is_retry("GET", 503) is False
# Port 0 cannot be connected to: refused with a network as without one.
try:
    urllib3.PoolManager(retries=False, timeout=Timeout(2)).request("GET", "http://127.0.0.1:0/")
except urllib3.exceptions.HTTPError as error:
    assert type(error).__name__ in {"NewConnectionError", "ProtocolError"}, error
else:
    raise AssertionError("connected to port 0")

print("ok", "urllib3", version("urllib3"))
