"""A loop that never ends: stopped at the time limit, with what it printed and the line that was running."""

# timeout: 2

total = 0
print("counting")
while True:
    total += 1
