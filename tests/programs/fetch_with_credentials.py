PORT = 0
STRANGER = 0

import requests

url = f"http://allowed.test:{PORT}/"
answer = requests.get(url, proxies={"http": STRANGER}, timeout=20)
print(answer.status_code, answer.text, end="")
other = STRANGER.replace("job:", "x")
print(requests.get(url, proxies={"http": other}, timeout=20).status_code)
print(requests.get(url, timeout=20).status_code)
