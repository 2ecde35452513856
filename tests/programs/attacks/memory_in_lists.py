# Takes memory in pieces until something says no.
held = []
while True:
    held.append(bytearray(8 << 20))
