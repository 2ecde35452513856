#: runtime native
import tempfile

for _ in range(1000):
    tempfile.NamedTemporaryFile(delete=False).write(bytes(8 << 20))
#: ends limit files 67108864
# | [file limit reached: <n> of 67108864 bytes; write less; the operator can raise `--limit-file-bytes`]
