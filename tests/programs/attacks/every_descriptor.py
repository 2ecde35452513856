# Bytes into whatever is open.
import os

for _ in range(100):
    for fd in range(3, 256):
        try:
            os.write(fd, b'{"done": 0}\n' * 100)
        except OSError:
            pass
