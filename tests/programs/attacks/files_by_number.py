# As many names as the tree takes, in deep folders.
import os

path = "."
for n in range(1_000_000):
    path = os.path.join(path, "d") if n % 50 == 0 and len(path) < 3_000 else path
    os.makedirs(path, exist_ok=True)
    open(os.path.join(path, f"{n}"), "w").close()
