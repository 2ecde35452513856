# wasm: folders with many names, listed and moved for ever.
import os

os.makedirs("a/b")
for n in range(900):
    open(f"a/b/{n}", "w").close()
while True:
    os.rename("a", "c")
    os.listdir("c/b")
    os.rename("c", "a")
