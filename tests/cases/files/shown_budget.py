#: options --limit-shown 100
#: arguments {"show_files": ["/mnt/data/long", "long", "short"]}
open("long", "w").write("x" * 59 + "\n")
open("short", "w").write("y\n")
print("done")
# | done
# | [file long]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [file long is not shown: it has more bytes than the 40 that are left for files]
# | [file short]
# | y
# | [files written: long (60 bytes), short (2 bytes)]
