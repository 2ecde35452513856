import subprocess

subprocess.run(["ls", "-l"])
#: in wasm
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     subprocess.run(["ls", "-l"])
# |     ~~~~~~~~~~~~~~^^^^^^^^^^^^^^
# |   File "python3.13/subprocess.py", line 554, in run
# |     with Popen(*popenargs, **kwargs) as process:
# |          ~~~~~^^^^^^^^^^^^^^^^^^^^^^
# | PermissionError: no process can be started here (['ls', '-l']): do it in Python (files: os, shutil, pathlib; archives: zipfile)
#: in native
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     subprocess.run(["ls", "-l"])
# |     ~~~~~~~~~~~~~~^^^^^^^^^^^^^^
# |   File "python3.13/subprocess.py", line 554, in run
# |     with Popen(*popenargs, **kwargs) as process:
# |          ~~~~~^^^^^^^^^^^^^^^^^^^^^^
# |   File "python3.13/subprocess.py", line 1039, in __init__
# |     self._execute_child(args, executable, preexec_fn, close_fds,
# |     ~~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |                         pass_fds, cwd, env,
# |                         ^^^^^^^^^^^^^^^^^^^
# |     ...<5 lines>...
# |                         gid, gids, uid, umask,
# |                         ^^^^^^^^^^^^^^^^^^^^^^
# |                         start_new_session, process_group)
# |                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |   File "python3.13/subprocess.py", line 1902, in _execute_child
# |     self.pid = _fork_exec(
# |                ~~~~~~~~~~^
# |             args, executable_list,
# |             ^^^^^^^^^^^^^^^^^^^^^^
# |     ...<6 lines>...
# |             process_group, gid, gids, uid, umask,
# |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |             preexec_fn, _USE_VFORK)
# |             ^^^^^^^^^^^^^^^^^^^^^^^
# | PermissionError: [Errno 1] Operation not permitted
# | [note: no process can be started here: do it in Python (files: os, shutil, pathlib; archives: zipfile)]
