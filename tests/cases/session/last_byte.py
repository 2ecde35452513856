#: options --native off --limit-file-bytes 1
#: runtime wasm
#: session
f = open("a", "wb", 0)
f.write(b"x" * (1 << 19))
# | 524288
# | [files written: a (524288 bytes)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
import errno

f = open("b", "wb", buffering=0)
print(f.write(b"y" * (1 << 19)))
try:
    f.write(b"z")
except OSError as error:
    print(errno.errorcode[error.errno])
# | 524288
# | ENOSPC
# | [files written: b (524288 bytes)]
# | [session <handle>]
