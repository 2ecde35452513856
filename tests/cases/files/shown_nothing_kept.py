#: options --native off --keep-files 0
#: runtime wasm
#: arguments {"show_files": ["a"]}
open("a", "w").write("x");
# | [file a is not shown: files of calls are not kept (`--keep-files`)]
# | [files written: a (1 byte)]
