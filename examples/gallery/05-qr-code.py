# Asked: Make a QR code of https://modelcontextprotocol.io, without any package.
import struct
import zlib

from IPython.display import Image

TEXT = "https://modelcontextprotocol.io"
# Version: all code words, those for correction (level L), centre of the alignment pattern.
VERSIONS = {1: (26, 7, 0), 2: (44, 10, 18), 3: (70, 15, 22), 4: (100, 20, 26), 5: (134, 26, 30)}


def multiply(a, b):
    """In the field of 256 elements that QR codes use."""
    product = 0
    for _ in range(8):
        product = product << 1 ^ (product >> 7) * 0x11D
        product ^= (b >> 7) * a
        b = b << 1 & 0xFF
    return product


def correction(data, count):
    """Reed-Solomon: the remainder of the data divided by (x - 1)(x - 2)(x - 4)…"""
    divisor, root = [0] * (count - 1) + [1], 1
    for _ in range(count):
        for i in range(count):
            divisor[i] = multiply(divisor[i], root) ^ (divisor[i + 1] if i + 1 < count else 0)
        root = multiply(root, 2)
    remainder = [0] * count
    for byte in data:
        factor = byte ^ remainder.pop(0)
        remainder = [a ^ multiply(b, factor) for a, b in zip(remainder + [0], divisor)]
    return remainder


def code_words(text):
    data = text.encode()
    version = next(v for v, (total, check, _) in VERSIONS.items() if len(data) + 2 <= total - check)
    total, check, centre = VERSIONS[version]
    bits = f"0100{len(data):08b}" + "".join(f"{byte:08b}" for byte in data) + "0000"
    words = [int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)]
    words += [0xEC, 0x11] * total
    words = words[: total - check]
    return version, centre, words + correction(words, check)


def draw(version, centre, words):
    size = 17 + 4 * version
    grid = [[None] * size for _ in range(size)]

    def square(row, column, rings):  # dark where the distance to the middle is in `rings`, light elsewhere
        reach = max(rings) + (1 if 3 in rings else 0)
        for r in range(max(0, row - reach), min(size, row + reach + 1)):
            for c in range(max(0, column - reach), min(size, column + reach + 1)):
                grid[r][c] = max(abs(r - row), abs(c - column)) in rings

    for i in range(8, size - 8):
        grid[6][i] = grid[i][6] = i % 2 == 0
    for row, column in ((3, 3), (3, size - 4), (size - 4, 3)):
        square(row, column, (0, 1, 3))
    if centre:
        square(centre, centre, (0, 2))
    grid[size - 8][8] = True
    # Format: level L, mask 0, with their own correction bits.
    value = rest = 0b01000
    for _ in range(10):
        rest = rest << 1 ^ (rest >> 9) * 0x537
    value = (value << 10 | rest) ^ 0x5412
    places = [0, 1, 2, 3, 4, 5, 7, 8]
    for i in range(15):
        dark = bool(value >> i & 1)
        grid[places[i] if i < 8 else 8][8 if i < 8 else [7, 5, 4, 3, 2, 1, 0][i - 8]] = dark
        grid[8 if i < 8 else size - 15 + i][size - 1 - i if i < 8 else 8] = dark
    # Data: pairs of columns from the right, up and down in turn; mask 0 inverts a chessboard.
    bits = iter("".join(f"{word:08b}" for word in words))
    for turn, right in enumerate([c for c in range(size - 1, 0, -2) if c > 6] + [5, 3, 1]):
        for r in range(size) if turn % 2 else range(size - 1, -1, -1):
            for c in (right, right - 1):
                if grid[r][c] is None:
                    grid[r][c] = (next(bits, "0") == "1") ^ ((r + c) % 2 == 0)
    return grid


def png(grid, scale=6, border=4):
    light = [False] * (len(grid) + 2 * border)
    rows = [light] * border + [[False] * border + row + [False] * border for row in grid] + [light] * border
    lines = b"".join((b"\0" + bytes(0 if dark else 255 for dark in row for _ in range(scale))) * scale for row in rows)
    side = len(rows) * scale

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


version, centre, words = code_words(TEXT)
grid = draw(version, centre, words)
print(f"version {version}, {len(grid)} x {len(grid)} squares, {len(words)} code words for {len(TEXT)} letters")
Image(png(grid))
