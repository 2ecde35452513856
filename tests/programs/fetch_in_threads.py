PORT = 0

import asyncio
import os
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import requests


def fetch(number):
    return requests.get(f"http://allowed.test:{PORT}/{number}", timeout=20).text


with ThreadPoolExecutor(8) as pool:
    texts = list(pool.map(fetch, range(40)))
print(texts == [f"GET /{number} host=allowed.test body=\n" for number in range(40)])
proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"])


async def main():
    reader, writer = await asyncio.open_connection(proxy.hostname, proxy.port)
    writer.write(f"CONNECT allowed.test:{PORT} HTTP/1.1\r\n\r\n".encode())
    print((await reader.read(12)).decode())
    writer.close()


asyncio.run(main())
