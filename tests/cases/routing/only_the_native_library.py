#: runtime auto
import os
import signal

signal.signal(signal.SIGUSR2, lambda *_: print("signal"))
os.kill(os.getpid(), signal.SIGUSR2)
#: ran native because `os.kill` needs the native runtime, which was noticed when the code ran
# | signal
# | [run again from the start in the native runtime: `os.kill` needs the native runtime, which was noticed when the code ran]
# --- call
from os import pipe

print(len(pipe()))
#: ran native because `os.pipe` needs the native runtime, which was noticed when the code ran
# | 2
# | [run again from the start in the native runtime: `os.pipe` needs the native runtime, which was noticed when the code ran]
# --- call
import signal

print(int(signal.ITIMER_REAL))
#: ran native because `signal.ITIMER_REAL` needs the native runtime, which was noticed when the code ran
# | 0
# | [run again from the start in the native runtime: `signal.ITIMER_REAL` needs the native runtime, which was noticed when the code ran]
# --- call
import os

saved = os.dup(1)
os.dup2(os.open("log", os.O_CREAT | os.O_WRONLY), 1)
os.write(1, b"hidden")
os.dup2(saved, 1)
print(open("log").read())
#: ran native because `os.dup` needs the native runtime, which was noticed when the code ran
# | hidden
# | [files written: log (6 bytes)]
# | [run again from the start in the native runtime: `os.dup` needs the native runtime, which was noticed when the code ran]
# --- call
from multiprocessing import shared_memory

memory = shared_memory.SharedMemory(create=True, size=8)
memory.buf[:2] = b"ab"
print(bytes(memory.buf[:2]))
memory.close()
memory.unlink()
#: ran native because `_posixshmem` needs the native runtime, which was noticed when the code ran
# | b'ab'
# | [run again from the start in the native runtime: `_posixshmem` needs the native runtime, which was noticed when the code ran]
# --- call
import _interpreters

print(len(_interpreters.list_all()))
#: ran native because `_interpreters` needs the native runtime
# | 1
