# A single bytecode that takes longer than any limit.
10 ** (10**9)
