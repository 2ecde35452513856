#: options --limit-files 10
#: runtime wasm
for i in range(10):
    open(f"{i}", "w").close()
# | [files written: 0 (0 bytes), 1 (0 bytes), 2 (0 bytes), 3 (0 bytes), 4 (0 bytes), 5 (0 bytes), 6 (0 bytes), 7 (0 bytes), 8 (0 bytes), 9 (0 bytes)]
# --- call
for i in range(11):
    open(f"{i}", "w").close()
#: ends exception OSError
# | Traceback (most recent call last):
# |   File "main.py", line 2, in <module>
# |     open(f"{i}", "w").close()
# |     ~~~~^^^^^^^^^^^^^
# | OSError: [Errno 51] No space left on device: '10'
# | [files written: 0 (0 bytes), 1 (0 bytes), 2 (0 bytes), 3 (0 bytes), 4 (0 bytes), 5 (0 bytes), 6 (0 bytes), 7 (0 bytes), 8 (0 bytes), 9 (0 bytes)]
