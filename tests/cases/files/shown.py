#: arguments {"show_files": ["out/a.csv", "b.bin", "missing", "/mnt/data/./out/a.csv"]}
import os

os.makedirs("out", exist_ok=True)
open("out/a.csv", "w", encoding="utf-8").write("a,b\n1,ä\n")
open("b.bin", "wb").write(b"\xff")
print("done")
# | done
# | [file out/a.csv]
# | a,b
# | 1,ä
# | [file b.bin is not shown: it is not UTF-8 text]
# | [file missing is not shown: there is no such file]
# | [file out/a.csv]
# | a,b
# | 1,ä
# | [files written: b.bin (1 byte), out/a.csv (9 bytes)]
