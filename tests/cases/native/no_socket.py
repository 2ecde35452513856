#: runtime native
import socket

for attempt in (socket.socket, lambda: socket.create_connection(("127.0.0.1", 80))):
    try:
        attempt()
    except OSError as error:
        print(error)
try:
    socket.getaddrinfo("example.org", 80)
except socket.gaierror as error:
    print(error.strerror)
# | [Errno 1] Operation not permitted
# | [Errno 1] Operation not permitted
# | no address for 'example.org': jobs have no network; the operator can open a host with `--allow-host`
