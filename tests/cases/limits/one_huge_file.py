#: runtime native
import errno

try:
    with open("big", "wb") as file:
        for _ in range(1000):
            file.write(bytes(1 << 20))
except OSError as error:
    print(errno.errorcode[error.errno])
# | EFBIG
# | [files written: big (67108864 bytes)]
