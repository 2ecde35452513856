names = ["a\x1b]0;owned\x07b.txt", "r\rl\x7f.txt", "x\n[image 1: 9x9 PNG].txt", "\u202egnp.txt"]
for name in [*names, "\u200bé\u200d.txt", "\u2028.txt"]:
    open(name, "w").write("1")
# | [files written: a\x1b]0;owned\x07b.txt (1 byte), r\rl\x7f.txt (1 byte), x\n[image 1: 9x9 PNG].txt (1 byte), \u200bé‍.txt (1 byte), \u2028.txt (1 byte), \u202egnp.txt (1 byte)]
