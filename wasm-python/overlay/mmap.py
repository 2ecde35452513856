"""Stands in for `mmap`: reads a file into memory, where mmap would map it for reading.

xlrd asks for no more. Anything else sends the job to the native runtime, or says in one line that
it would need it.
"""

import os

ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY = range(4)
ALLOCATIONGRANULARITY = PAGESIZE = 4096
MAP_SHARED, MAP_PRIVATE = 1, 2
PROT_READ, PROT_WRITE = 1, 2
error = OSError


class mmap(bytes):
    """The content of a file, read-only."""

    def __new__(
        cls,
        fileno,
        length,
        *flags,
        access=ACCESS_DEFAULT,
        offset=0,
        prot=PROT_READ | PROT_WRITE,
        **others,
    ):
        """Read `length` bytes of the file, 0 meaning all of it, from `offset` on."""
        if fileno < 0 or (access != ACCESS_READ and prot != PROT_READ):
            from sandbox_bootstrap.guest import stand_ins

            stand_ins.native_function("mmap.mmap")()
        size = os.fstat(fileno).st_size - offset
        if length > size:
            raise ValueError("mmap length is greater than file size")
        wanted = length or size
        parts = []
        while wanted and (part := os.pread(fileno, wanted, offset)):
            parts.append(part)
            wanted -= len(part)
            offset += len(part)
        return super().__new__(cls, b"".join(parts))

    def __init__(self, *_arguments, **_options):
        self._at = 0
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    def close(self):
        """Nothing is held."""
        self.closed = True

    def size(self):
        """Bytes of the file."""
        return len(self)

    def read(self, n=None):
        """The next `n` bytes, or the rest."""
        start = self._at
        self._at = len(self) if n is None or n < 0 else min(len(self), start + n)
        return self[start : self._at]

    def readline(self):
        """The next line."""
        end = self.find(b"\n", self._at)
        return self.read(None if end < 0 else end + 1 - self._at)

    def seek(self, position, whence=os.SEEK_SET):
        """Move to a position."""
        starts = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self)}
        self._at = position + starts[whence]

    def tell(self):
        """The position."""
        return self._at
