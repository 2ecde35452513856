#: runtime native
import os

print(os.system("ls") != 0)
# | True
# | [note: no process can be started here: do it in Python (files: os, shutil, pathlib; archives: zipfile)]
