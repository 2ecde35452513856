"""Text, arithmetic, and the value of a last expression."""

words = "the quick brown fox jumps over the lazy dog".split()
print("longest word:", max(words, key=len))
print("letters:", sum(map(len, words)))
print("2**100 =", 2**100)
sorted(words, key=lambda word: (len(word), word))
