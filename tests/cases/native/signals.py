#: runtime native
import ctypes

print("up", flush=True)
ctypes.string_at(0)
#: ends crashed
# | up
# | [the Python process crashed: killed by signal 11 (SIGSEGV: invalid memory access, or recursion deeper than the stack)]
# --- call
import os

print("up", flush=True)
os.abort()
#: ends crashed
# | up
# | [the Python process crashed: killed by signal 6 (SIGABRT: abort)]
# --- call
import os
import signal

print("up", flush=True)
os.kill(os.getpid(), signal.SIGILL)
#: ends crashed
# | up
# | [the Python process crashed: killed by signal 4 (SIGILL: an instruction that this CPU does not have)]
