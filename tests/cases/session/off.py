#: options --native off --sessions 0
#: runtime auto
#: arguments {"session": "new"}
1
#: ends refused
# | sessions are off: the server was started with `--sessions 0`
# --- call
print(1)
#: ran wasm because pure Python
# | 1
