# Asked: Solve this sudoku.
PUZZLE = """
8 . . . . . . . .
. . 3 6 . . . . .
. 7 . . 9 . 2 . .
. 5 . . . 7 . . .
. . . . 4 5 7 . .
. . . 1 . . . 3 .
. . 1 . . . . 6 8
. . 8 5 . . . 1 .
. 9 . . . . 4 . .
"""
cells = [0 if c == "." else int(c) for c in PUZZLE.split()]
peers = [
    {p for p in range(81) if p != c and (p // 9 == c // 9 or p % 9 == c % 9 or (p // 27, p % 9 // 3) == (c // 27, c % 9 // 3))}
    for c in range(81)
]
tried = 0


def solve():
    global tried
    empty = [c for c in range(81) if not cells[c]]
    if not empty:
        return True
    options = {c: set(range(1, 10)) - {cells[p] for p in peers[c]} for c in empty}
    cell = min(empty, key=lambda c: len(options[c]))
    for digit in sorted(options[cell]):
        tried += 1
        cells[cell] = digit
        if solve():
            return True
    cells[cell] = 0
    return False


print("solved" if solve() else "no solution", "after", tried, "digits tried")
for row in range(9):
    print(*cells[9 * row : 9 * row + 9])
