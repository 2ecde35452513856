"""The request: what the host asks for, one JSON object per job.

The other side is `Request` in `src/job/request.rs`. `tests/contract.rs` compares the two field for
field: it reads the lines of the class below that declare a field.
"""

import os
from typing import Any

from . import own_builtins

_decode = own_builtins.private_copy("json.decoder").JSONDecoder().decode


class Request:
    """One job as the host describes it.

    A field without a default is in every request. The host may leave out the ones with a default.
    """

    code: str  # Python source
    filename: str  # the name that tracebacks show
    argv: list[str]
    nonce: str  # marks the frames of this job
    runtime: str  # "wasm" | "native"
    workdir: str  # the job's directory as the job sees it
    hostdir: str = ""  # native: the real directory behind `workdir`
    mounts: list[tuple[str, str]]  # native: a path that the job uses, the real directory behind it
    show_value: bool  # whether to show the value of the last expression
    figure_text: bool  # whether figures come with a text that describes them
    max_image_side: int  # pixels
    max_image_pixels: int
    native_modules: list[str]  # wasm: top-level modules that only the native runtime has
    packages: list[str]  # wasm: folders with the operator's packages
    native: str  # "on" | "off"; wasm: whether the job can be rerun natively
    native_why: str  # why native is off
    network: list[str]  # hosts that native jobs can reach, as the operator named them
    network_why: str  # why there are none although the operator named some
    session: int  # number of this call in its session, from 1; 0: there is no session
    state_file: str  # file for the session's variables while it migrates to the native runtime
    restore: bool  # native: whether they are there
    migrate: bool  # wasm: whether to migrate at once, without running anything

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    @classmethod
    def parse(cls, data: bytes) -> "Request":
        """Read a request from the host's JSON. From then on it is the running job's."""
        global running
        running = cls(_decode(data.decode()))
        return running

    @property
    def in_wasm(self) -> bool:
        """Whether the job runs in the WASI guest."""
        return self.runtime == "wasm"

    @property
    def can_rerun_natively(self) -> bool:
        """Whether this attempt can be dropped and started again in the native runtime."""
        return self.runtime == "wasm" and self.native == "on"


running: Request | None = None  # None: no job has started, as in a snapshot or a fork server


def current() -> Request:
    """The request of the running job; RuntimeError outside of one."""
    if running is None:
        raise RuntimeError("no job is running")
    return running


def name_in_workdir(path: object) -> str | None:
    """`path` relative to the work directory; None if it is elsewhere, or no path."""
    try:
        absolute = os.path.abspath(os.fsdecode(path))  # type: ignore[arg-type]
    except TypeError:
        return None
    root = current().workdir + "/"
    return absolute.removeprefix(root) if absolute.startswith(root) else None
