PORT = 0

import ssl
import urllib.request

import requests
import urllib3
from curl_cffi import requests as curl

url = f"https://allowed.test:{PORT}"
print(requests.get(f"{url}/requests", verify="ca.pem", timeout=20).text, end="")
context = ssl.create_default_context(cafile="ca.pem")
answer = urllib.request.urlopen(f"{url}/urllib", context=context, timeout=20)
print(answer.read().decode(), end="")
pool = urllib3.PoolManager(ca_certs="ca.pem")
print(pool.request("GET", f"{url}/urllib3").data.decode(), end="")
print(curl.get(f"{url}/curl", verify="ca.pem", timeout=20).text, end="")
try:
    requests.get(f"{url}/", timeout=20)
except requests.exceptions.SSLError:
    print("a stranger is not trusted")
