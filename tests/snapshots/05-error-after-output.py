def mean(values):
    return sum(values) / len(values)


print("first:", mean([1, 2, 3]))
print("second:", mean([]))
