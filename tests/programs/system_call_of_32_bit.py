"""`int 0x80` with the number of getpid, as code from a file, which a job may map."""

import ctypes
import mmap

with open("code", "wb") as file:
    file.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3".ljust(4096, b"\x90"))
with open("code", "rb") as file:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    protection = mmap.PROT_READ | mmap.PROT_EXEC
    address = libc.mmap(
        None, 4096, protection, mmap.MAP_PRIVATE, file.fileno(), ctypes.c_long(0)
    )
print("mapped", flush=True)
print("pid", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
