rows = [("apple", 3, 1.5), ("melon", 12, 0.75)]
print(f"{'name':<8}{'n':>4}{'price':>8}")
for name, n, price in rows:
    print(f"{name:<8}{n:>4}{price:>8.2f}")
# | name       n   price
# | apple      3    1.50
# | melon     12    0.75
