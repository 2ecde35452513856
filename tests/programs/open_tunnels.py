PORT = 0

import base64
import os
import socket
import time
import urllib.parse

proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"])
credential = base64.b64encode(f"job:{proxy.password}".encode()).decode()
head = f"CONNECT allowed.test:{PORT} HTTP/1.1\r\nProxy-Authorization: Basic {credential}\r\n\r\n"
kept = []
answers = {}
for _ in range(35):
    client = socket.create_connection((proxy.hostname, proxy.port))
    client.sendall(head.encode())
    answer = client.recv(12)
    answers[answer] = answers.get(answer, 0) + 1
    kept.append(client)
print(answers)
open("begun", "w").close()
time.sleep(60)
