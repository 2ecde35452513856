# Asked: 240 000 at 3.6 % for 20 years: what is the rate a month, and how much of it is interest?
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
debt, monthly, months = Decimal(240_000), Decimal("0.036") / 12, 240
payment = (debt * monthly / (1 - (1 + monthly) ** -months)).quantize(CENT, ROUND_HALF_UP)
print(f"payment {payment:,} a month")
print(f"{'year':>4} {'interest':>12} {'repaid':>12} {'left':>13}")
total = Decimal(0)
for year in range(1, 21):
    interest_of_year = repaid_of_year = Decimal(0)
    for _ in range(12):
        interest = (debt * monthly).quantize(CENT, ROUND_HALF_UP)
        repaid = min(payment - interest, debt)
        debt -= repaid
        interest_of_year += interest
        repaid_of_year += repaid
    total += interest_of_year
    if year <= 3 or year >= 19:
        print(f"{year:4} {interest_of_year:12,} {repaid_of_year:12,} {debt:13,}")
print(f"interest in all: {total:,}")
