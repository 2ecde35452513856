# Frames that nobody asked for, written as the bootstrap writes them.
import gc
import types

modules = [m for m in gc.get_objects() if isinstance(m, types.ModuleType)]
modules += [m for d in gc.get_objects() if type(d) is dict for m in list(d.values())
            if isinstance(m, types.ModuleType)]
for frames in {id(m): m for m in modules if hasattr(m, "send_report")}.values():
    for n in range(100_000):
        frames._channel.send("IMAGE_DATA", b"x")
    for n in range(300):
        frames.send_report({f"key{n}": "x" * 3_000_000, "notes": ["n" * 1_000] * 1_000})
