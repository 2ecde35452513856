#: runtime auto
#: session
x = {1, 2}
#: ran wasm because pure Python
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
#: arguments {"runtime": "native"}
import sys

print(sys.platform, x)
#: ran native because asked for by the caller
# | linux {1, 2}
# | [the session moved to the native runtime with its variables: asked for by the caller]
# | [session <handle>]
# --- call
#: arguments {"runtime": "wasm"}
1
#: ends refused
# | this session runs in the native runtime and cannot go back; leave `runtime` out, or begin another session
