# As many bytes as the tree takes.
n = 0
while True:
    with open(f"big{n}", "wb") as file:
        for _ in range(8):
            file.write(bytes(8 << 20))
    n += 1
