# Goes on after its end.
import atexit
import threading


def forever():
    while True:
        pass


atexit.register(forever)
threading._register_atexit(forever) if hasattr(threading, "_register_atexit") else None


class Late:
    def __del__(self):
        forever()


late = Late()
