import os

print(os.listdir("/data/in"), open("/data/in/sub/in.txt").read())
for act in (
    lambda: open("/data/in/new", "w"),
    lambda: open("/data/in/sub/in.txt", "a"),
    lambda: os.remove("/data/in/sub/in.txt"),
    lambda: os.mkdir("/data/in/d"),
):
    try:
        act()
        print("done")
    except OSError:
        print("refused")
