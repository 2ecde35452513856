#: options --limit-shown 200
for n in range(1000):
    print("line", n)
#: meta omitted {"images":0,"stderr":0,"stdout":8690}
# | line 0
# | line 1
# | line 2
# | line 3
# | line 4
# | line 5
# | line 6
# | line 7
# | line 8
# | line 9
# | line 10
# | line 11
# | line 12
# | line 1
# | [... 8690 bytes omitted ...]
# |
# | line 989
# | line 990
# | line 991
# | line 992
# | line 993
# | line 994
# | line 995
# | line 996
# | line 997
# | line 998
# | line 999
# | [the whole output, 8890 bytes, can be read for a while: sandbox://<handle>/.stdout.txt]
# --- call
print("short")
#: meta wholeOutput null
# | short
