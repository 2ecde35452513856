import array
import socket
import time

a, b = socket.socketpair()
pair = array.array("i", [a.fileno()] * 250)
try:
    while True:
        a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, pair)])
except OSError as error:
    open("full", "w").write(error.strerror)
time.sleep(20)
