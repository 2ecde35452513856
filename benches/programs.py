"""The programs that are timed: each defines `run()`, which takes native CPython 0.05 to 0.2 s."""

FIB = """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def run():
    assert fib(26) == 121393
"""

NBODY = """
from math import sqrt

def bodies():
    return [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760435743],
        [4.84143144246472, -1.16032004402742, -0.103622044471123, 0.606326392995832,
         2.81198684491626, -0.02521836165988763, 0.03769367487038949],
        [8.34336671824458, 4.12479856412431, -0.403523417114321, -1.01077434617879,
         1.82566237123041, 0.00841576137658415, 0.01128632613196877],
        [12.8943695621391, -15.1111514016986, -0.223307578892656, 1.08279100644154,
         0.868713018169608, -0.01083263740136364, 0.001723724057059711],
        [15.3796971148510, -25.9193146099879, 0.179258772950371, 0.979090732243898,
         0.594698998647676, -0.03475595555078104, 0.002033686869924631],
    ]

def run():
    system = bodies()
    pairs = [(a, b) for i, a in enumerate(system) for b in system[i + 1:]]
    for _ in range(4000):
        for a, b in pairs:
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            square = dx * dx + dy * dy + dz * dz
            magnitude = 0.01 / (square * sqrt(square))
            ma, mb = a[6] * magnitude, b[6] * magnitude
            a[3] -= dx * mb
            a[4] -= dy * mb
            a[5] -= dz * mb
            b[3] += dx * ma
            b[4] += dy * ma
            b[5] += dz * ma
        for body in system:
            body[0] += 0.01 * body[3]
            body[1] += 0.01 * body[4]
            body[2] += 0.01 * body[5]
"""

SPECTRAL_NORM = """
def entry(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)

def times(v, transposed):
    n = range(len(v))
    if transposed:
        return [sum(entry(j, i) * v[j] for j in n) for i in n]
    return [sum(entry(i, j) * v[j] for j in n) for i in n]

def run():
    u = [1.0] * 60
    for _ in range(5):
        v = times(times(u, False), True)
        u = times(times(v, False), True)
    assert abs((sum(a * b for a, b in zip(u, v)) / sum(b * b for b in v)) ** 0.5 - 1.2742) < 1e-3
"""

PIDIGITS = """
def run():
    digits, k, p, q, a, b, c, d = 0, 2, 4, 1, 1, 1, 3, 1
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    while digits < 600:
        if 4 * q + r - t < n * t:
            digits += 1
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            n = (q * (7 * k + 2) + r * l) // (t * l)
            q, r, t, k, l = q * k, (2 * q + r) * l, t * l, k + 1, l + 2
"""

JSON = """
import json

def row(i):
    tags, nested = ["a", "b", None, True], {"x": i, "y": [i, i + 1]}
    return {"id": i, "name": f"row {i}", "value": i / 7, "tags": tags, "nested": nested}

DATA = {"rows": [row(i) for i in range(1500)]}

def run():
    for _ in range(4):
        assert json.loads(json.dumps(DATA))["rows"][7]["id"] == 7
"""

REGEX = r"""
import re

TEXT = "\n".join(
    f"2024-{m:02}-{d:02} 10:{d:02}:00 user{d}@example{m}.org"
    f" GET /path/{m}/{d}?q={m * d} {m * d * 17} 0.{d}s"
    for m in range(1, 13) for d in range(1, 29)
) * 3
LINE = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d) (?P<time>\S+) (?P<user>[\w.]+@[\w.]+)"
    r" (?P<verb>GET|POST) (?P<path>\S+) (?P<size>\d+) (?P<secs>[\d.]+)s"
)

def run():
    assert len(LINE.findall(TEXT)) == 1008
    assert len(re.sub(r"(\w+)@(\w+)\.org", r"\2 at \1", TEXT)) > 1000
    assert len(re.split(r"[\s/?=]+", TEXT)) > 1000
    re.findall(r"\b[a-z]+\d+\b", TEXT)
"""

DICT_CHURN = """
def run():
    counts = {}
    for i in range(60000):
        key = i * 7919 % 4099
        counts[key] = counts.get(key, 0) + 1
    groups = {}
    for i in range(40000):
        groups.setdefault(i % 997, []).append(i)
    merged = {k: sum(v) for k, v in groups.items()}
    for k in list(merged):
        if k % 2:
            del merged[k]
    tuples = {(i % 100, i % 7): i for i in range(30000)}
    assert len(tuples) == 700
"""

STR_CHURN = """
def run():
    words = [f"word{i % 500}" for i in range(20000)]
    text = " ".join(words)
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    out = []
    for word, count in sorted(counts.items()):
        out.append(f"{word.upper():>10}:{count:5d}".strip().replace("W", "w"))
    line = ""
    for part in out:
        line += part + ";"
    assert line.count(";") == 500
    assert sum(len(w.encode()) for w in words) > 100000
    for w in words[:8000]:
        w.startswith("word1"), w.find("d"), w[::-1], w.isalnum()
"""

SORTING = """
import random

def run():
    rng = random.Random(1)
    numbers = [rng.random() for _ in range(40000)]
    sorted(numbers)
    records = [(int(x * 1000), str(x)) for x in numbers[:15000]]
    records.sort(key=lambda r: (r[0], r[1]))
    sorted((r[1] for r in records), reverse=True)
    numbers.sort(key=lambda x: -x)
"""

CLASSES = """
from dataclasses import dataclass

@dataclass
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    @property
    def norm(self):
        return self.x * self.x + self.y * self.y

class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()

class Counter(Stack):
    total = 0

    def push(self, item):
        self.total += 1
        super().push(item)

def run():
    v = Vector(0.0, 0.0)
    step = Vector(0.5, 0.25)
    stack = Counter()
    for i in range(40000):
        v = v + step
        stack.push(v.norm)
        if i % 3 == 0:
            stack.pop()
    assert stack.total == 40000
"""

SYMPY = """
from sympy import symbols, integrate, sin, exp, cos
from sympy.core.cache import clear_cache

x = symbols("x")

def run():
    clear_cache()
    integrate(sin(x) ** 2 * exp(x), x)
"""

PROGRAMS = {
    "fib": FIB,
    "nbody": NBODY,
    "spectral-norm": SPECTRAL_NORM,
    "pidigits": PIDIGITS,
    "json round trip": JSON,
    "regex": REGEX,
    "dict churn": DICT_CHURN,
    "str churn": STR_CHURN,
    "sorting": SORTING,
    "small classes": CLASSES,
    "sympy integrate": SYMPY,
}

# Each round runs the program a few times and reports the best.
TIMED = """
{program}
import time
best = 1e9
for _ in range({repeats}):
    started = time.perf_counter()
    run()
    best = min(best, time.perf_counter() - started)
print("seconds", best)
"""
