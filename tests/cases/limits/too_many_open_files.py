#: runtime native
import errno

keep = []
try:
    while True:
        keep.append(open("/dev/null"))
except OSError as error:
    print(errno.errorcode[error.errno], len(keep) < 256)
# | EMFILE True
