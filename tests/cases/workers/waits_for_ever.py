#: options --native off
#: runtime wasm
import multiprocessing

queue = multiprocessing.Queue()
queue.get()
#: ends exception RuntimeError
# | Traceback (most recent call last):
# |   File "main.py", line 6, in <module>
# |     queue.get()
# |     ~~~~~~~~~^^
# | RuntimeError: this waits for another process for ever: work is done in turn here; processes that work at the same time need the native runtime, which is off: `--native off` was given
