#: runtime native
#: arguments {"timeout": 55}
from curl_cffi import requests

try:
    requests.get("http://127.0.0.1:1/", timeout=5)
except requests.exceptions.RequestException as error:
    print("refused")
print("ok")
# | refused
# | ok
