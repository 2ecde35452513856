#: runtime auto
import sys

print(sys.platform)
#: ran wasm because pure Python
#: meta confined null
# | wasi
# --- call
#: arguments {"runtime": "native"}
import sys

print(sys.platform)
#: ran native because asked for by the caller
#: meta confined true
# | linux
