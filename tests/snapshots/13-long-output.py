for n in range(200):
    print(n, "." * 990)
