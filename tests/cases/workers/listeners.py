#: runtime native
# Somebody listens, and others of the same job connect.
import threading
from multiprocessing import AuthenticationError, Process
from multiprocessing.connection import Client, Listener


def say(address, word):
    with Client(address, authkey=b"key") as connection:
        connection.send([word, connection.recv()])


def outcome(function):
    try:
        function()
    except OSError as error:
        print(error)


with Listener(("localhost", 0), authkey=b"key") as listener:
    child = Process(target=say, args=(listener.address, "hello"))
    child.start()
    with listener.accept() as connection:
        connection.send(42)
        print(connection.recv())
    child.join()
    try:
        Client(listener.address, authkey=b"other")
    except AuthenticationError as error:
        print(error)
    try:
        Listener(listener.address)
    except OSError as error:
        print(error)
    waits = threading.Thread(target=outcome, args=(listener.accept,))
    waits.start()
waits.join()
try:
    Client(listener.address)
except OSError as error:
    print(type(error).__name__)
# | ['hello', 42]
# | digest sent was rejected
# | [Errno 98] Address already in use
# | listener is closed
# | PermissionError
# | [note: there are no worker processes here: the work ran in threads of this one process and shared its variables]
