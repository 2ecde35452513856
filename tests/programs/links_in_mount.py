import os

os.makedirs("/mnt/data/d", exist_ok=True)
for act in (
    lambda: open("/out/file", "w").close(),
    lambda: os.symlink("/etc/passwd", "/out/link"),
    lambda: os.symlink("/etc/passwd", "/mnt/data/d/link"),
    lambda: os.rename("/mnt/data/d/link", "/out/moved"),
    lambda: os.link("/mnt/data/d/link", "/out/linked", follow_symlinks=False),
    lambda: os.rename("/mnt/data/d", "/out/d"),
):
    try:
        act()
    except OSError as error:
        print(error)
