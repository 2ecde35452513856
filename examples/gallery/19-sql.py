# Asked: Load the sales into a database and tell me each region's best month and its growth over the month before.
# file: sales.csv
import csv
import sqlite3

database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE sales (month TEXT, region TEXT, units INTEGER, price REAL)")
rows = [(r["month"], r["region"], r["units"] or None, r["price"]) for r in csv.DictReader(open("sales.csv"))]
database.executemany("INSERT INTO sales VALUES (?, ?, ?, ?)", rows)
query = """
    WITH known AS (
        SELECT *, units - lag(units) OVER (PARTITION BY region ORDER BY month) AS growth,
               rank() OVER (PARTITION BY region ORDER BY units DESC) AS place
        FROM sales WHERE units IS NOT NULL)
    SELECT region, month, units, growth, round(units * price, 2) AS revenue FROM known WHERE place = 1 ORDER BY region"""
cursor = database.execute(query)
print(*(f"{column[0]:>9}" for column in cursor.description))
for row in cursor:
    print(*(f"{value:>9}" for value in row))
