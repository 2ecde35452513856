def mean(values):
    return sum(values) / len(values)


print("first:", mean([1, 2, 3]))
print("second:", mean([]))
#: ends exception ZeroDivisionError
#: meta error {"message":"division by zero","type":"ZeroDivisionError"}
#: meta exitCode 1
# | first: 2.0
# | Traceback (most recent call last):
# |   File "main.py", line 6, in <module>
# |     print("second:", mean([]))
# |                      ~~~~^^^^
# |   File "main.py", line 2, in mean
# |     return sum(values) / len(values)
# |            ~~~~~~~~~~~~^~~~~~~~~~~~~
# | ZeroDivisionError: division by zero
