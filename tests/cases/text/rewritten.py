print("a long line\r\x1b[Kshort")
print("12/20 ====\b\b\b\bdone")
print("first\nsecond\n\x1b[2Aone\x1b[K\n\x1b[Ktwo")
# | short
# | 12/20 done
# | one
# | two
