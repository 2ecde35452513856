#: options --limit-fuel 2000
#: runtime wasm
for i in range(100_000):
    pass
# | [no output]
# --- call
print("so far")
while True: pass
#: ends limit fuel 2000000000
# | so far
# | Stopped at:
# | File "main.py", line 2, in <module>
# |     while True: pass
# | [fuel limit reached: <n> of 2000000000 instructions; use a cheaper algorithm or split the work; the operator can raise `--limit-fuel`]
