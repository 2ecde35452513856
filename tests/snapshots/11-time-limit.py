# timeout: 1
print("counting")
n = 0
while True:
    n += 1
