from sandbox_bootstrap.host import frames

for number in range(40):
    frames.send_report({f"key{number}": "x" * 3_000_000})
print("not reached")
#: ends limit stdout 134217728
# | [output limit reached: <n> of 134217728 bytes written to stdout; print less, or write to a file]
