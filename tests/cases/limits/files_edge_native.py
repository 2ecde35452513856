#: options --limit-files 10
#: runtime native
import time

for i in range(10):
    open(f"{i}", "w").close()
time.sleep(0.5)
# | [files written: 0 (0 bytes), 1 (0 bytes), 2 (0 bytes), 3 (0 bytes), 4 (0 bytes), 5 (0 bytes), 6 (0 bytes), 7 (0 bytes), 8 (0 bytes), 9 (0 bytes)]
# --- call
import time

for i in range(11):
    open(f"{i}", "w").close()
time.sleep(20)
#: ends limit file-count 10
# | [file limit reached: more than 10 files and directories; write fewer files; the operator can raise `--limit-files`]
# | [files written: 0 (0 bytes), 1 (0 bytes), 10 (0 bytes), 2 (0 bytes), 3 (0 bytes), 4 (0 bytes), 5 (0 bytes), 6 (0 bytes), 7 (0 bytes), 8 (0 bytes), 9 (0 bytes)]
