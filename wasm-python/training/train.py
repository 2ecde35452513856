"""What the guest runs while its profile is taken: the kinds of work that jobs do, in about equal parts.

None of these is a program of `benches/`: the profile is to make Python faster, not the benchmark.
"""

import collections
import csv
import dataclasses
import datetime
import decimal
import functools
import hashlib
import heapq
import io
import itertools
import json
import math
import random
import re
import statistics
import string
import textwrap


def calls(n):
    def ackermann(m, n):
        if m == 0:
            return n + 1
        return ackermann(m - 1, ackermann(m, n - 1)) if n else ackermann(m - 1, 1)

    def hanoi(n, a, b, c, *, count=0):
        return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)

    @functools.lru_cache(None)
    def ways(n, k):
        return 1 if n == 0 else 0 if n < 0 or k == 0 else ways(n - k, k) + ways(n, k - 1)

    def variadic(*args, **kwargs):
        return len(args) + len(kwargs)

    for _ in range(n):
        ackermann(2, 12), hanoi(9, "a", "b", "c"), ways(60, 30)
        for i in range(300):
            variadic(i, 2, x=i), max(i, 3), min((i, 4)), abs(-i), divmod(i, 7), isinstance(i, int), (lambda v: v + 1)(i)


def floats(n):
    for _ in range(n):
        x = y = 0.1
        for i in range(1500):
            x, y = x * x - y * y + 0.3, 2.0 * x * y - 0.1
            if x * x + y * y > 4.0:
                x, y = 0.1, 0.2
        matrix = [[float(i * j % 7) for j in range(18)] for i in range(18)]
        product = [[sum(a * b for a, b in zip(row, column)) for column in zip(*matrix)] for row in matrix]
        total = math.fsum(map(sum, product)) ** 0.5
        heat = [0.0] * 200
        heat[100] = total
        for _ in range(8):
            heat = [0.0] + [(heat[i - 1] + 2 * heat[i] + heat[i + 1]) / 4 for i in range(1, 199)] + [0.0]
        [math.sin(v) + math.exp(-v) + math.sqrt(v) for v in heat], round(total, 3), int(total), statistics.pstdev(heat[:50])


def integers(n):
    for k in range(n):
        sieve = bytearray([1]) * 5000
        for i in range(2, 71):
            if sieve[i]:
                sieve[i * i :: i] = bytes(len(range(i * i, 5000, i)))
        [i for i in range(5000) if sieve[i]]
        a, steps = 97 + k, 0
        while a != 1:
            a = a // 2 if a % 2 == 0 else 3 * a + 1
            steps += 1
        state = 1
        for _ in range(1000):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            state ^= state >> 7
        math.factorial(120) // 3**90, pow(3, 200, 10**30 + 57), (1 << 900) % (10**60), str(7**300), int("9" * 200), math.gcd(2**90, 6**40)
        e = 10**120
        term, i = e, 1
        while term:
            term //= i
            e += term
            i += 1


def containers(n):
    for k in range(n):
        counts = collections.Counter(i * i % 101 for i in range(1500))
        index = collections.defaultdict(list)
        for word, number in zip(itertools.cycle(["alpha", "beta", "gamma", "delta"]), range(1200)):
            index[word, number % 13].append(number)
        {key: len(values) for key, values in index.items() if values}
        seen, queue, grid = {(0, 0)}, collections.deque([(0, 0)]), [[(x * y) % 5 != 3 for x in range(20)] for y in range(20)]
        while queue:
            x, y = queue.popleft()
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                place = x + dx, y + dy
                if 0 <= place[0] < 20 and 0 <= place[1] < 20 and grid[place[1]][place[0]] and place not in seen:
                    seen.add(place)
                    queue.append(place)
        heap = []
        for i in range(400):
            heapq.heappush(heap, (i * 37 % 101, i))
        [heapq.heappop(heap) for _ in range(400)]
        rows = [{"id": i, "group": i % 7, "score": (i * 31) % 97} for i in range(400)]
        rows.sort(key=lambda row: (row["group"], -row["score"]))
        [sum(row["score"] for row in rows_of) for _, rows_of in itertools.groupby(rows, key=lambda row: row["group"])]
        sorted(str(i * 7919 % 1000) for i in range(500)), sorted(counts.values(), reverse=True), sorted([i * 0.37 % 1 for i in range(800)])
        table = [[0] * 40 for _ in range(40)]
        for i in range(1, 40):
            for j in range(1, 40):
                table[i][j] = max(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1] + (i * j % 3 == 0))
        list(map(str, range(300))), set(range(400)) & set(range(200, 600)), list(reversed(range(300))), [*range(100), *range(100)], tuple(range(50))[3:40:2]


def texts(n):
    words = (string.ascii_letters + " the quick brown fox, jumps over: the lazy dog. ä ö ü €" * 3).split()
    for k in range(n):
        text = " ".join(words[i * 7 % len(words)] for i in range(400))
        text.upper(), text.replace("the", "THE"), text.title(), text.count("o"), text.find("lazy"), text.splitlines(), text.encode().decode()
        collections.Counter(text.lower().split()).most_common(5)
        out = ""
        for i, letter in enumerate(text[:600]):
            out += letter if letter.isalpha() else f"<{i:03d}>"
        "".join(chr((ord(c) - 97 + 13) % 26 + 97) if "a" <= c <= "z" else c for c in out), out[::-1] == out, "%s-%d-%.2f" % (out[:4], k, k / 3)
        [f"{i:>6}|{i * 1.5:8.2f}|{str(i)!r}" for i in range(200)], [line.strip().split(",") for line in ["a, b,c "] * 100], textwrap.wrap(text, 40)
        re.findall(r"[A-Za-z]+", text), re.sub(r"(\w)(\w*)", r"\2\1", text), [re.match(r"(\w+)\s(\w+)", line) for line in text.split(",")], re.split(r"\W+", text)
        re.compile(r"(?:fox|dog)\b.*?(?=the)", re.I).findall(text), re.search(r"(\d{1,3}\.){3}\d{1,3}", "x" * 200 + "10.0.0.1")
        "-".join(sorted(set(text))), text.translate(str.maketrans("aeiou", "12345")), text.startswith(("a", "b")), text.rjust(3000), ascii(text), repr(text)


def records(n):
    for k in range(n):
        data = {"users": [{"name": f"n{i}", "age": i, "ok": i % 2 == 0, "score": i / 3, "tags": ["x", "y"], "none": None, "t": "é\n\""} for i in range(60)]}
        json.loads(json.dumps(data)), json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerows([i, f"name {i}", i / 7] for i in range(100))
        [float(row[2]) for row in csv.reader(io.StringIO(out.getvalue()))]
        day = datetime.datetime(2024, 1, 1)
        [(day + datetime.timedelta(days=i, hours=i)).strftime("%Y-%m-%d") for i in range(40)], datetime.datetime.strptime("2024-03-05 10:20", "%Y-%m-%d %H:%M")
        sum(decimal.Decimal(i) / 7 for i in range(1, 60)).quantize(decimal.Decimal("0.01")), hashlib.sha256(b"a" * 5000).hexdigest(), random.Random(k).sample(range(200), 40)
        [random.random() for _ in range(200)], [random.randint(1, 6) for _ in range(100)]


@dataclasses.dataclass
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y


class Shape:
    count = 0

    def __init__(self, size):
        self.size = size
        Shape.count += 1

    def area(self):
        raise NotImplementedError

    @property
    def double(self):
        return self.size * 2

    @classmethod
    def unit(cls):
        return cls(1)


class Square(Shape):
    __slots__ = ("name",)

    def __init__(self, size, name="square"):
        super().__init__(size)
        self.name = name

    def area(self):
        return self.size**2

    def __lt__(self, other):
        return self.size < other.size

    def __len__(self):
        return self.size

    def __iter__(self):
        yield from range(self.size)

    def __getitem__(self, index):
        return index

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return True


def objects(n):
    def produce(limit):
        for i in range(limit):
            sent = yield i
            if sent:
                return sent

    for _ in range(n):
        total = Point(0.0, 0.0)
        shapes = []
        for i in range(300):
            total = total + Point(i * 0.5, 1.0)
            shapes.append(Square(i % 9 + 1))
        sorted(shapes), sum(shape.area() + shape.double + len(shape) for shape in shapes), [x for shape in shapes[:60] for x in shape], Square.unit()[2]
        sum(produce(400)), list(zip(produce(100), produce(100))), any(x > 90 for x in produce(100)), dict(enumerate("abcdef"))
        for i in range(200):
            try:
                if i % 3 == 0:
                    raise ValueError(i)
                {}[i]
            except KeyError as error:
                str(error)
            except ValueError:
                pass
            finally:
                i += 1
        with Square(2):
            raise RuntimeError
        getattr(total, "x"), hasattr(total, "z"), setattr(total, "x", 1), total == Point(1, 2), repr(total), vars(total)


# Each takes a native CPython about a third of a second.
for part, rounds in ((calls, 400), (floats, 150), (integers, 400), (containers, 80), (texts, 70), (records, 60), (objects, 90)):
    part(rounds)
