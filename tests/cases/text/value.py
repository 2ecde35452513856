print("printed")
values = [1, 2]
{"a": values}
# | printed
# | {'a': [1, 2]}
