#: runtime native
# The job has a name although the files of users are out of reach.
import getpass
import grp
import os
import pathlib
import pwd

me = pwd.getpwuid(os.getuid())
print(me.pw_name, me.pw_uid == os.getuid(), me.pw_dir == os.environ["HOME"])
print(pwd.getpwnam("sandbox") == me)
print(grp.getgrgid(os.getgid()).gr_name, os.getlogin(), getpass.getuser())
open("a", "w").close()
print(pathlib.Path("a").owner(), pathlib.Path("a").group())
for unknown in (
    lambda: pwd.getpwuid(54321),
    lambda: pwd.getpwnam("nobody-such"),
    lambda: open("/etc/passwd"),
):
    try:
        unknown()
    except (KeyError, PermissionError) as error:
        print(type(error).__name__)
# | sandbox True True
# | True
# | sandbox sandbox sandbox
# | sandbox sandbox
# | KeyError
# | KeyError
# | PermissionError
# | [files written: a (0 bytes)]
