# Names that would forge a line of the answer.
import contextlib

for n in range(1_000):
    for name in (f"a{n}\x1b[2J.txt", f"x\n[image {n}: 9x9 PNG]\ny", f"\u202egnp.{n}", f"r\r{n}"):
        with contextlib.suppress(OSError, ValueError):
            open(name, "w").close()
    with contextlib.suppress(OSError, ValueError):
        open(b"bad\xff\xfe" + str(n).encode(), "w").close()
