#: runtime native
for number in range(1000):
    with open(f"file-{number}", "wb") as file:
        file.write(bytes(8 << 20))
#: ends limit files 67108864
# | [file limit reached: <n> of 67108864 bytes; write less; the operator can raise `--limit-file-bytes`]
# | [files written: file-0 (8388608 bytes), <...>]
