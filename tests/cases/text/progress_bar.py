import time

for percent in (10, 50, 100):
    print(f"\r{percent:3}%", end="", flush=True)
print("\n\x1b[32mdone\x1b[0m")
# | 100%
# | done
