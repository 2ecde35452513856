# Control sequences, each of which moves a whole screen.
while True:
    print("\x1b[99999999C\x1b[1K\x1b[2J\x1b]52;c;AAAA\x07\r" * 10_000, end="")
