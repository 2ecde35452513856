import ctypes
import gc
import os
import re
import select
import socket
import sys

# heap-marker-0123456789abcdef0123456789abcdef: the control, which must be found.
PATTERNS = {
    "marker": rb"heap-marker-([0-9a-f]{32})",
    "credential": rb"job:([0-9a-f]{32})@127",
    "folder": rb"(?:job|session)-([0-9a-f]{16})",
}
found = {name: set() for name in PATTERNS}
for line in open("/proc/self/maps"):
    area = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line)
    if area is None or "[v" in line:
        continue
    begin, end = (int(number, 16) for number in area.groups())
    data = ctypes.string_at(begin, end - begin)
    for name, pattern in PATTERNS.items():
        found[name].update(match.decode() for match in re.findall(pattern, data))
    del data
own = {
    "marker": "0123456789abcdef" * 2,
    "credential": re.search("job:([0-9a-f]+)@", os.environ["HTTPS_PROXY"])[1],
    "folder": re.search("job-([0-9a-f]+)", os.environ["HOME"])[1],
}
for name, values in found.items():
    print(name, own[name] in values, sorted(values - {own[name]}))

frame, files = sys._getframe(), []
while frame is not None:
    files.append(os.path.basename(frame.f_code.co_filename))
    for name, value in list(frame.f_locals.items()):
        if isinstance(value, (socket.socket, memoryview)) or "_Loop" in type(value).__name__:
            print("in a frame:", name, type(value))
    frame = frame.f_back
print(*files[1:])
Poll = type(select.poll())
for thing in gc.get_objects():
    if isinstance(thing, (socket.socket, Poll, memoryview)) or "_Loop" in type(thing).__name__:
        print("an object:", type(thing))
descriptors = []
for number in range(256):
    try:
        os.fstat(number)
        descriptors.append(number)
    except OSError:
        pass
print(len(descriptors), descriptors[-1])
