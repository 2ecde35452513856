#: runtime native
import time

for number in range(5000):
    open(f"file-{number}", "w").close()
time.sleep(20)
#: ends limit file-count 2000
# | [file limit reached: more than 2000 files and directories; write fewer files; the operator can raise `--limit-files`]
# | [files written: file-0 (0 bytes), <...> more]
