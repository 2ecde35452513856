#: options --native off
#: runtime wasm
#: arguments {"show_files": ["../a"]}
#: ends refused
# | `show_files[0]`: `path` "../a" leaves the working directory; give a path relative to the working directory
# --- call
#: arguments {"show_files": ["a", 7]}
#: ends refused
# | `show_files[1]`: must be a path
# --- call
#: arguments {"show_files": "a"}
#: ends refused
# | `show_files` must be a list of paths, not a string
# --- call
#: arguments {"show_files": ["1","2","3","4","5","6","7","8","9","0","1","2","3","4","5","6","7","8","9","0","1"]}
#: ends refused
# | `show_files` names 21 files, more than the 20 that are accepted
