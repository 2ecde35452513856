#: runtime auto
import urllib.error
import urllib.request

try:
    urllib.request.urlopen("http://example.org/")
except urllib.error.URLError as error:
    print(error)
#: ran wasm because pure Python
# | <urlopen error [Errno 4] no address for 'example.org': jobs have no network; the operator can open a host with `--allow-host`>
# --- call
import socket

socket.create_connection(("192.0.2.1", 80))
#: ends exception socket.gaierror
#: ran wasm because pure Python
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     socket.create_connection(("192.0.2.1", 80))
# |     ~~~~~~~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^
# |   File "python3.13/socket.py", line 840, in create_connection
# |     for res in getaddrinfo(host, port, 0, SOCK_STREAM):
# |                ~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |   File "python3.13/socket.py", line 977, in getaddrinfo
# |     for res in _socket.getaddrinfo(host, port, family, type, proto, flags):
# |                ~~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# | socket.gaierror: [Errno 4] no address for '192.0.2.1': jobs have no network; the operator can open a host with `--allow-host`
# --- call
import socket

socket.socket()
#: ends exception OSError
#: ran wasm because pure Python
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     socket.socket()
# |     ~~~~~~~~~~~~~^^
# | OSError: [Errno 58] Not supported: jobs have no network; the operator can open a host with `--allow-host`
# --- call
import requests

try:
    requests.get("http://example.org/")
except requests.exceptions.ConnectionError as error:
    print(error)
#: ran native because `requests` needs the native runtime
# | HTTPConnectionPool(host='example.org', port=80): Max retries exceeded with url: / (Caused by NameResolutionError("HTTPConnection(host='example.org', port=80): Failed to resolve 'example.org' ([Errno -2] no address for 'example.org': jobs have no network; the operator can open a host with `--allow-host`)"))
