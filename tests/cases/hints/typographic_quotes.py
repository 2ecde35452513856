print(“hello”)
#: ends exception SyntaxError
# |   File "main.py", line 1
# |     print(“hello”)
# |           ^
# | SyntaxError: invalid character '“' (U+201C)
# | [note: line 1: U+201C (left double quotation mark) is not valid in Python code; write " instead]
