"""Who the job is. The files that say so (/etc/passwd, /etc/group) are out of its reach."""

import grp
import os
import pwd
from collections.abc import Callable
from typing import Any

NAME = "sandbox"


def take() -> None:
    """Answer for the job's own user and group; for others the library's answer stands."""
    uid, gid = os.getuid(), os.getgid()
    home = os.environ.get("HOME", "/tmp")
    user = pwd.struct_passwd((NAME, "x", uid, gid, NAME, home, "/bin/sh"))
    group = grp.struct_group((NAME, "x", gid, []))
    users: Any = pwd
    groups: Any = grp
    users.getpwuid = _known(users.getpwuid, uid, user)
    users.getpwnam = _known(users.getpwnam, NAME, user)
    groups.getgrgid = _known(groups.getgrgid, gid, group)
    groups.getgrnam = _known(groups.getgrnam, NAME, group)
    os.getlogin = lambda: NAME


def _known(real: Callable[[Any], Any], key: object, value: object) -> Callable[[Any], Any]:
    def get(wanted: object, /) -> Any:
        return value if wanted == key else real(wanted)

    get.__name__, get.__doc__ = real.__name__, real.__doc__
    return get
