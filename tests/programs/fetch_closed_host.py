PORT = 0

import urllib.error
import urllib.request

import requests

answer = requests.get(f"http://unlisted.test:{PORT}/", timeout=20)
print(answer.status_code, answer.text, end="")
try:
    requests.get(f"https://unlisted.test:{PORT}/", timeout=20)
except requests.exceptions.ProxyError as error:
    words = str(error)
    print(words[words.index("Tunnel") :].rstrip("')"))
try:
    urllib.request.urlopen(f"https://allowed.test:{PORT}/", timeout=20)
except OSError as error:
    print(error)
