# Asked: Here is our sales file. How did the regions do, and is anything wrong in it?
# file: sales.csv
import csv
import statistics
from collections import defaultdict

units = defaultdict(list)
revenue = defaultdict(float)
for number, row in enumerate(csv.DictReader(open("sales.csv")), start=2):
    if not row["units"]:
        print(f"line {number}: no units for {row['region']} in {row['month']}, left out")
        continue
    units[row["region"]].append(int(row["units"]))
    revenue[row["region"]] += int(row["units"]) * float(row["price"])

print(f"\n{'region':8} {'months':>6} {'mean':>7} {'median':>7} {'stdev':>6} {'revenue':>10}")
for region, values in units.items():
    print(
        f"{region:8} {len(values):6} {statistics.mean(values):7.1f} {statistics.median(values):7.1f} "
        f"{statistics.stdev(values):6.1f} {revenue[region]:10,.2f}"
    )
