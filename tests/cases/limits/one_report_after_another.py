from sandbox_bootstrap.host import frames

for number in range(40):
    frames.send_report({f"key{number}": "x" * 3_000_000})
print("not reached")
#: in wasm
#: ends limit stdout 16777216
# | Stopped at:
# |   File "main.py", line 4, in <module>
# | [output limit reached: <n> of 16777216 bytes written to stdout; print less, or write to a file]
#: in native
#: ends limit stdout 16777216
# | [output limit reached: <n> of 16777216 bytes written to stdout; print less, or write to a file]
