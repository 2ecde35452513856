print("hello", 6 * 7)
# | hello 42
