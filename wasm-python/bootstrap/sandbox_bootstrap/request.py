"""The request: what the host asks for, one object per job."""

import json


class Request:
    """One job as the host describes it; a key that the host leaves out has the default below."""

    code = ""
    filename = "main.py"
    argv = ("main.py",)
    nonce = ""
    runtime = "native"  # "wasm" | "native"
    workdir = "/mnt/data"  # what the job sees as its directory
    hostdir = ""  # native: the real directory behind `workdir`
    mounts = ()  # native: pairs of a path that the job uses and the real directory behind it
    show_value = True
    figure_text = True
    max_image_side = 1568
    max_image_pixels = 16_000_000
    native_modules = ()  # wasm: top-level modules that only the native runtime has
    packages = ()  # wasm: where the operator's packages are
    native = "off"  # wasm: "on" | "off"
    native_why = "native runtime is off"
    network = ()  # hosts that native jobs can reach, as the operator named them
    network_why = ""  # why there are none although the operator named some
    session = 0  # the number of this call in its session; 0: there is no session
    restore = ""  # native: the file that holds what the session's variables were in the guest
    carry = "/tmp/.session"  # wasm: where they are saved when the session moves
    move = False  # wasm: run nothing, move the session

    def __init__(self, fields: dict):
        self.__dict__.update(fields)

    @classmethod
    def parse(cls, data: bytes) -> "Request":
        """Read a request from the host's JSON; it is `current` from then on."""
        global current
        current = cls(json.loads(data))
        return current

    @property
    def in_wasm(self) -> bool:
        """Whether the job runs in the WASI guest."""
        return self.runtime == "wasm"

    @property
    def can_rerun_natively(self) -> bool:
        """Whether dropping this attempt and starting again in the native runtime is possible."""
        return self.runtime == "wasm" and self.native == "on"


current = Request({})  # that of the running job
