# Asked: How likely is it that among 23 people two share a birthday? Check the formula by trying.
import random
from math import prod

random.seed(2026)


def share(people):
    days = [random.randrange(365) for _ in range(people)]
    return len(set(days)) < people


rounds = 4_000
print("people  formula   tried")
for people in (10, 20, 23, 30, 40, 57):
    formula = 1 - prod((365 - n) / 365 for n in range(people))
    tried = sum(share(people) for _ in range(rounds)) / rounds
    print(f"{people:6} {formula:8.1%} {tried:7.1%}  {'#' * round(formula * 40)}")
