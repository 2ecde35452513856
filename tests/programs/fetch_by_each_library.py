PORT = 0

import urllib.request

import requests
import urllib3
from curl_cffi import requests as curl

allowed = f"http://allowed.test:{PORT}"
print(requests.get(f"{allowed}/requests?a=b", timeout=20).text, end="")
also = f"http://also.allowed.test:{PORT}"
print(requests.post(f"{also}/post", data="x" * 5, timeout=20).text, end="")
print(urllib.request.urlopen(f"{allowed}/urllib", timeout=20).read().decode(), end="")
print(urllib3.PoolManager().request("GET", f"{allowed}/pool").data.decode(), end="")
print(urllib3.request("GET", f"{allowed}/urllib3").data.decode(), end="")
print(curl.get(f"{allowed}/curl", timeout=20).text, end="")
