import csv

with open("numbers.csv", "w", newline="") as file:
    csv.writer(file).writerows([["n", "square"], [2, 4]])
print(open("/mnt/data/numbers.csv").read())
# | n,square
# | 2,4
# |
# | [files written: numbers.csv (15 bytes)]
