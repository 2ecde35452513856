PORT = 0
HOSTS = 0

import requests

for host in HOSTS:
    answer = requests.get(f"http://{host}:{PORT}/", timeout=20)
    print(answer.status_code, answer.text, end="")
