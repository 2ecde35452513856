"""The guest's packages: what is imported of them, and jobs that use them as real ones do.

Importing a library is the smaller part of its first use. sympy's first integral alone loads dozens
of modules, builds tables of rules and fills caches. Each job here runs once while the snapshot is
made; if one fails, so does the build.
"""

# Pure-Python packages, with the submodules that jobs use: importing them is then free.
PACKAGES = """
    mpmath sympy sympy.abc sympy.plotting sympy.parsing.sympy_parser
    sympy.integrals.manualintegrate
    networkx networkx.algorithms.community networkx.algorithms.bipartite
    networkx.algorithms.approximation
    dateutil.parser dateutil.relativedelta dateutil.rrule dateutil.tz dateutil.easter
    bs4 openpyxl openpyxl.styles openpyxl.chart openpyxl.utils openpyxl.formatting.rule xlrd PyPDF2
    yaml jinja2 markupsafe markdown tabulate attr attrs toolz six typing_extensions tqdm tqdm.auto
    rich rich.console rich.table rich.text rich.panel rich.pretty
""".split()

_CALCULUS = """
from sympy import *
x, y, z, t = symbols("x y z t")
a, b, c = symbols("a b c", positive=True)
for f in (sin(x)**2*exp(x), sin(x)**3*exp(2*x), x**2*cos(x), x*exp(-x), 1/(x**3 + 1), log(x)/x,
          sqrt(1 - x**2), sin(x)*cos(x), x/(x**2 + 4*x + 5), exp(x)*cos(x), tan(x),
          1/(1 + exp(x)), x**3*log(x), sin(2*x)**2*exp(3*x), atan(x), 1/sqrt(x**2 + 1)):
    integrate(f, x)
integrate(exp(-x**2), (x, -oo, oo))
integrate(1/(x**2 + 1), (x, 0, oo))
integrate(x**2 + y, (x, 0, 1), (y, 0, 2))
integrate(sin(x)/x, (x, 0, oo))
integrate(a*exp(-b*x), (x, 0, oo))
Integral(x**2, (x, 0, 1)).doit(), Integral(sin(x**2), (x, 0, 1)).evalf()
diff(sin(x)*exp(x**2)/x, x, 2), diff(x**y, y), Derivative(tan(x), x).doit()
limit(sin(x)/x, x, 0), limit((1 + 1/x)**x, x, oo), limit((x**2 - 1)/(x - 1), x, 1)
limit(1/x, x, 0, "-")
series(exp(x)*cos(x), x, 0, 6), series(log(1 + x), x, 0, 5), summation(1/x**2, (x, 1, oo))
summation(x**2, (x, 1, a))
product(x, (x, 1, 5)), Sum(1/x, (x, 1, 10)).doit(), Sum(2**x, (x, 0, 10)).doit()
laplace_transform(exp(-2*t)*sin(t), t, a), inverse_laplace_transform(1/(b**2 + 1), b, t)
fourier_series(x, (x, -pi, pi)).truncate(3)
"""

_ALGEBRA = """
from sympy import *
x, y, z = symbols("x y z")
n, k = symbols("n k", integer=True)
f = Function("f")
solve(x**3 - 6*x**2 + 11*x - 6, x), solve(x**3 + 2*x - 7, x), solve(x**2 - 5*x + 6)
solve(2*x**3 + x**2 - 4, x)
solve([x + y - 3, x - y - 1], [x, y]), solve([x**2 + y**2 - 25, x - y - 1], [x, y])
solve(Eq(exp(x), 5), x), solve(sin(x) - 1, x)
solve(x**4 - 5*x**2 + 4), solve(sqrt(x + 3) - x + 3), solve(x**2 - 2*x - 3, x)
solve(x**2 - 4 > 0, x), solve(2**x - 8, x)
solveset(x**2 - 4, x, S.Reals), solveset(sin(x), x)
linsolve([x + y + z - 6, x - y, y - z], x, y, z), nonlinsolve([x**2 - y, y - 4], [x, y])
nsolve(cos(x) - x, x, 1), nroots(x**5 - x + 1), roots(x**3 - 1)
reduce_inequalities([x > 1, x < 5], x)
simplify(sin(x)**2 + cos(x)**2), simplify((x**2 - 1)/(x - 1)), simplify(exp(x)*exp(y))
trigsimp(2*sin(x)*cos(x)), radsimp(1/(1 + sqrt(2)))
expand((x + y)**5), expand_trig(sin(x + y)), factor(x**4 - y**4), collect(x*y + x*z, x)
cancel((x**2 - 1)/(x + 1)), apart(1/(x**2 - 1))
together(1/x + 1/y), powsimp(x**2*x**3), logcombine(log(x) + log(y), force=True)
nsimplify(0.333333, rational=True)
expr = x**2*y + sin(z)
expr.subs(x, 2), expr.subs({x: 1, y: 2, z: pi}), expr.evalf(subs={x: 1.5, y: 2, z: 0.1})
expr.free_symbols, expr.has(x), expr.args
Poly(x**3 + 2*x + 1, x).all_coeffs(), degree(x**3), div(x**3 - 1, x - 1), gcd(x**2 - 1, x - 1)
resultant(x**2 - 1, x - 2, x), groebner([x*y - 1, x - y], x, y)
dsolve(f(x).diff(x, 2) + f(x), f(x)), dsolve(f(x).diff(x) - 2*f(x), f(x))
dsolve(Eq(f(x).diff(x) + f(x), x), f(x)), dsolve(f(x).diff(x) - x*f(x)**2, f(x))
rsolve(f(n + 1) - 2*f(n), f(n))
Piecewise((x, x > 0), (0, True)).subs(x, 1), Interval(0, 1).union(Interval(2, 3))
FiniteSet(1, 2) & FiniteSet(2), Max(x, 1), Abs(-3), ceiling(2.5)
lambdify(x, x**2 + sin(x), "math")(1.0), lambdify((x, y), x + y)(1, 2)
And(x, y), satisfiable(Symbol("p") & ~Symbol("q")), simplify_logic("(a & b) | (a & ~b)")
re(1 + 2*I), arg(1 + I), (1 + I)**2
from sympy.parsing.sympy_parser import parse_expr
sympify("x**2 + 3*x/4"), parse_expr("2*x + sin(y)"), parse_expr("2x", transformations="all")
"""

_NUMBERS = """
from sympy import *
x, y = symbols("x y")
M = Matrix([[2, 1, 0], [1, 3, 1], [0, 1, 4]])
M.det(), M.inv(), M.eigenvals(), Matrix([[2, 1], [1, 2]]).eigenvects(), M.rref(), M.T*M, M.rank()
M.trace(), M.charpoly(x).as_expr()
Matrix([[1, 2], [3, 4]]).LUsolve(Matrix([5, 6])), Matrix([[1, 2], [2, 4]]).nullspace(), eye(3)
zeros(2, 2), Matrix([[x, y], [1, x]]).det()
Matrix([[4, 1], [2, 3]]).diagonalize(), Matrix([1, 2, 3]).cross(Matrix([3, 2, 1]))
Matrix([[3, 1], [1, 3]]).cholesky(), Matrix([x**2, y]).jacobian([x, y])
factorint(360360), isprime(104729), prime(100), list(primerange(2, 50)), divisors(60), totient(36)
gcd(12, 18), lcm(4, 6), nextprime(1000), mod_inverse(3, 7)
factorial(20), binomial(10, 3), fibonacci(30), bernoulli(10), harmonic(5), catalan(5)
Rational(1, 3) + Rational(1, 6), S(1)/3, sqrt(8), pi.evalf(50), N(E, 30), E.n()
continued_fraction(Rational(45, 16)), zeta(2), gamma(5), erf(0.5).evalf(), besselj(0, 1.0).evalf()
gamma(Rational(1, 2)), LambertW(1).evalf(), Float("1.1", 20)
e = Integral(sqrt(1/x), x) + Sum(x**2, (x, 1, 3)) + Matrix([[x]])[0, 0] + sin(x)**2/exp(y)
e += Rational(2, 3)*Symbol("alpha") + x**-1 - 3
for expression in (e, Eq(x**2, 4), Matrix([[1, x], [y, 2]]), Interval(0, 1), [x, 1/y], {x: 2},
                   Derivative(sin(x), x), Piecewise((x, x > 0), (0, True)), x > 1, oo, I):
    str(expression), latex(expression), pretty(expression), srepr(expression), repr(expression)
    pprint(expression), print(expression)
    expression
import mpmath
mpmath.mp.dps = 30
mpmath.quad(mpmath.sin, [0, mpmath.pi]), mpmath.findroot(lambda v: v**2 - 2, 1), mpmath.zeta(3)
str(mpmath.mpf(1)/3), mpmath.nstr(mpmath.e, 20)
mpmath.matrix([[1, 2], [3, 4]])**-1, mpmath.diff(mpmath.exp, 1)
mpmath.nsum(lambda v: 1/v**2, [1, mpmath.inf])
mpmath.mp.dps = 15
"""

_GRAPHS = """
import networkx as nx
g = nx.Graph()
g.add_edge("a", "b", weight=4)
g.add_edges_from([("a", "c", {"weight": 2}), ("b", "c", {"weight": 1})])
g.add_edges_from([("b", "d", {"weight": 5}), ("c", "d", {"weight": 8})])
g.add_nodes_from(["e", "f"]), g.add_weighted_edges_from([("d", "e", 3.0), ("e", "f", 1.0)])
nx.shortest_path(g, "a", "d"), nx.shortest_path(g, "a", "d", weight="weight")
nx.dijkstra_path_length(g, "a", "d"), nx.all_pairs_shortest_path_length(g)
list(nx.bfs_tree(g, "a")), list(nx.dfs_edges(g, "a")), list(nx.connected_components(g))
nx.is_connected(g), nx.diameter(g), nx.density(g), dict(g.degree())
nx.degree_centrality(g), nx.betweenness_centrality(g), nx.closeness_centrality(g), nx.clustering(g)
nx.triangles(g), list(nx.find_cliques(g))
nx.minimum_spanning_tree(g).edges(data=True), nx.greedy_color(g), nx.is_bipartite(g)
list(nx.all_simple_paths(g, "a", "d")), nx.average_shortest_path_length(g)
d = nx.DiGraph([(1, 2), (2, 3), (1, 3), (3, 4)])
list(nx.topological_sort(d)), nx.is_directed_acyclic_graph(d), nx.dag_longest_path(d)
list(nx.strongly_connected_components(d)), list(d.predecessors(3))
nx.maximum_flow(nx.DiGraph([("s", "a", {"capacity": 3}), ("a", "t", {"capacity": 2})]), "s", "t")
nx.astar_path(g, "a", "d"), nx.bellman_ford_path(g, "a", "d")
nx.gnp_random_graph(20, 0.2, seed=1), nx.barabasi_albert_graph(20, 2, seed=1), nx.complete_graph(5)
nx.path_graph(4), nx.karate_club_graph(), nx.grid_2d_graph(3, 3)
list(nx.community.greedy_modularity_communities(nx.karate_club_graph())), nx.to_dict_of_lists(g)
nx.node_link_data(g), nx.floyd_warshall(g), nx.core_number(g)
nx.find_cycle(nx.cycle_graph(4)), list(nx.simple_cycles(nx.DiGraph([(1, 2), (2, 1)])))
nx.tree.is_tree(nx.path_graph(3)), nx.max_weight_matching(g)
print(g, d, g.nodes(data=True), g.edges)
"""

_TEXTS = """
from bs4 import BeautifulSoup
page = ('<html><head><title>T</title></head><body><div class="a" id="i"><p>one</p><p>two <b>bold'
        '</b></p><a href="/x">link</a></div>'
        '<table><tr><td>1</td><td>2</td></tr></table></body></html>')
soup = BeautifulSoup(page, "html.parser")
soup.title.string, soup.find("div", class_="a").get_text(" ", strip=True)
[p.text for p in soup.find_all("p")], soup.select("div.a > p"), soup.select_one("#i a")["href"]
soup.find("b").parent.name, soup.prettify(), [td.get_text() for td in soup.find_all("td")]
soup.a.attrs, soup.find(string="one"), str(soup.p), len(list(soup.descendants))
from dateutil import parser, relativedelta, rrule, tz, easter
import datetime
parser.parse("2024-03-01 12:30"), parser.parse("March 5, 2023 5pm")
parser.parse("5/3/2021", dayfirst=True), parser.isoparse("2024-01-02T03:04:05Z")
parser.parse("Tue, 01 Aug 2023 10:00:00 +0200")
datetime.date(2024, 1, 31) + relativedelta.relativedelta(months=+1)
relativedelta.relativedelta(datetime.date(2024, 5, 1), datetime.date(2020, 2, 29))
list(rrule.rrule(rrule.MONTHLY, count=4, dtstart=datetime.datetime(2024, 1, 31)))
easter.easter(2024), datetime.datetime(2024, 7, 1, tzinfo=tz.gettz("Europe/Berlin")).utcoffset()
tz.UTC
import zoneinfo
noon = datetime.datetime(2024, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("America/New_York"))
noon.astimezone(zoneinfo.ZoneInfo("UTC")).isoformat()
import yaml, jinja2, markdown, tabulate
data = yaml.safe_load("a: [1, 2.5, yes]\\nb:\\n  c: 'text'\\n  d: 2024-01-02\\n")
yaml.safe_dump(data, sort_keys=False)
jinja2.Template("{% for i in items %}{{ loop.index }}: {{ i.name|upper }}"
                "{% if not loop.last %}, {% endif %}{% endfor %}"
                ).render(items=[{"name": "a"}, {"name": "b"}])
environment = jinja2.Environment(autoescape=True, trim_blocks=True)
environment.from_string("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(v) }}"
                        "{% set y = 2 %}{{ y + 1 }}").render(v="<a>")
markdown.markdown("# T\\n\\n*a* **b** `c`\\n\\n- x\\n- y\\n\\n1. z\\n\\n[l](http://e)\\n\\n"
                  "|a|b|\\n|-|-|\\n|1|2|\\n\\n```\\ncode\\n```\\n",
                  extensions=["tables", "fenced_code"])
tabulate.tabulate([["a", 1.5], ["b", 22]], headers=["n", "v"], tablefmt="grid")
tabulate.tabulate([{"x": 1}], headers="keys", tablefmt="github"), tabulate.tabulate([[1, 2]])
import tqdm, tqdm.auto, io
list(tqdm.tqdm(range(3), file=io.StringIO(), desc="d"))
list(tqdm.auto.trange(3, file=io.StringIO()))
import attr, attrs, toolz
@attrs.define
class P:
    x: int
    y: float = attrs.field(default=1.0, converter=float)
P(1), attrs.asdict(P(1)), toolz.groupby(len, ["a", "bb"]), toolz.pipe(3, str)
list(toolz.partition_all(2, [1, 2, 3])), toolz.merge({1: 2}, {3: 4})
import io
from rich.console import Console
from rich.table import Table
table = Table(title="T")
table.add_column("a", style="cyan"), table.add_column("b", justify="right")
table.add_row("1", "[bold]2[/]")
console = Console(file=io.StringIO())
console.print(table), console.print("[red]x[/red]", {"a": [1, 2]}), Console().print("y")
"""

_OFFICE = """
import io, openpyxl, datetime
from openpyxl.styles import Font, PatternFill, Alignment, Border, Side
from openpyxl.chart import BarChart, LineChart, Reference
book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Data"
sheet.append(["name", "value", "when"])
for i in range(30):
    sheet.append([f"row {i}", i * 1.5, datetime.date(2024, 1, 1 + i)])
sheet["A1"].font = Font(bold=True, color="FF0000")
sheet["B1"].fill = PatternFill("solid", fgColor="FFFF00")
sheet["C1"].alignment = Alignment(horizontal="center")
sheet["C2"].border = Border(left=Side(style="thin"))
sheet["B33"] = "=SUM(B2:B31)"
sheet["B2"].number_format = "0.00"
sheet.column_dimensions["A"].width = 20
sheet.merge_cells("E1:F1"), sheet.freeze_panes
chart = BarChart()
chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=10), titles_from_data=True)
sheet.add_chart(chart, "H2")
book.create_sheet("Other")["A1"] = "é"
out = io.BytesIO()
book.save(out)
again = openpyxl.load_workbook(io.BytesIO(out.getvalue()))
[[cell.value for cell in row] for row in again["Data"].iter_rows(min_row=1, max_row=5)]
again.sheetnames, again["Data"].max_row
values = openpyxl.load_workbook(io.BytesIO(out.getvalue()), read_only=True, data_only=True)
list(values["Data"].values)
import PyPDF2
writer = PyPDF2.PdfWriter()
writer.add_blank_page(width=200, height=200)
pdf = io.BytesIO()
writer.write(pdf)
reader = PyPDF2.PdfReader(io.BytesIO(pdf.getvalue()))
len(reader.pages), reader.pages[0].mediabox, reader.pages[0].extract_text(), reader.metadata
import sqlite3, zipfile, csv, statistics, fractions, configparser, textwrap, gzip, hashlib, tomllib
import xml.etree.ElementTree as ET
base = sqlite3.connect(":memory:")
base.execute("create table t (a integer primary key, b text)")
base.executemany("insert into t (b) values (?)", [("x",), ("y",)])
base.execute("select count(*), b from t group by b order by b").fetchall(), base.commit()
base.close()
z = zipfile.ZipFile(io.BytesIO(), "w")
z.writestr("a.txt", "a"), z.close()
list(csv.DictReader(io.StringIO("a,b\\n1,2\\n"))), csv.writer(io.StringIO()).writerow([1, "a,b"])
ET.tostring(ET.fromstring("<a><b c='1'>t</b></a>")), ET.fromstring("<a><b/></a>").find("b")
statistics.mean([1, 2, 3.5]), statistics.stdev([1, 2, 4]), statistics.median([1, 2])
statistics.quantiles([1, 2, 3, 4]), fractions.Fraction("1/3") + 1, textwrap.fill("a b c", 3)
(
    gzip.decompress(gzip.compress(b"a" * 100)), hashlib.sha256(b"a").hexdigest(),
    hashlib.md5(b"a").hexdigest(), tomllib.loads("a = 1\\n[b]\\nc = [1, 2]\\n"),
)
"""

_LIBRARY = """
import argparse, bisect, calendar, collections, contextlib, copy, csv, datetime, decimal, enum
import functools, heapq, io, itertools, json, logging, math, operator, os, pathlib, pickle, pprint
import random, re, shutil, statistics, string, sys, tempfile, textwrap, time, traceback, typing
import urllib.parse, uuid
for word in ("%Y-%m-%d", "%d/%m/%Y %H:%M", "%B %d, %Y", "%a %b %d %H:%M:%S %Y"):
    datetime.datetime.strptime(datetime.datetime(2024, 5, 6, 7, 8, 9).strftime(word), word)
for pattern in (r"^[\\w.+-]+@[\\w-]+\\.[\\w.]+$", r"(?P<y>\\d{4})-(?P<m>\\d\\d)",
                r"\\b[A-Z][a-z]+\\b", r"https?://\\S+", r"(a|b)*?c", r"[^\\x00-\\x7f]"):
    re.findall(pattern, "Anna a@b.org 2024-05 http://x.y abc é"), re.sub(pattern, "_", "x")
    re.compile(pattern, re.I | re.M).search("q")
for encoding in ("utf-8", "latin-1", "ascii", "utf-16", "cp1252", "utf-8-sig", "utf-32-le"):
    "abc".encode(encoding).decode(encoding)
decimal.getcontext().prec, decimal.Decimal("2").sqrt(), round(decimal.Decimal("2.675"), 2)
decimal.Decimal(1).quantize(decimal.Decimal("0.01"))
class Colour(enum.Enum):
    RED = 1
class Bits(enum.Flag):
    A = enum.auto()
    B = enum.auto()
Colour.RED.name, Colour(1), list(Colour), Bits.A | Bits.B
Point = collections.namedtuple("Point", "x y", defaults=[0])
Point(1)._asdict(), collections.Counter("hello").most_common(2), collections.defaultdict(list)
collections.OrderedDict(a=1), collections.deque([1], 3), collections.ChainMap({})
class Shape(typing.NamedTuple):
    sides: int = 3
class Movie(typing.TypedDict):
    name: str
class Node(typing.Generic[typing.TypeVar("T")]):
    pass
import abc, dataclasses
class Base(abc.ABC):
    @abc.abstractmethod
    def run(self): ...
@dataclasses.dataclass(order=True, frozen=True)
class Item:
    name: str
    price: float = 0.0
    tags: list = dataclasses.field(default_factory=list)
Item("a") < Item("b"), dataclasses.replace(Item("a"), price=2.0), hash(Colour.RED)
dataclasses.asdict(Item("x")), Shape(4)
@functools.lru_cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(30), functools.reduce(operator.mul, range(1, 6)), list(itertools.combinations(range(4), 2))
list(itertools.groupby("aab")), heapq.nsmallest(2, [3, 1, 2])
@contextlib.contextmanager
def managed():
    yield 1
with managed() as one, contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(KeyError):
    {}["x"]
match {"kind": "a", "v": [1, 2]}:
    case {"kind": "a", "v": [first, *rest]}:
        pass
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "sub" / "f.txt"
    path.parent.mkdir(parents=True), path.write_text("a\\nb\\n"), path.read_text()
    list(pathlib.Path(folder).rglob("*")), path.stat().st_size, path.exists()
    path.with_suffix(".x"), os.listdir(folder)
    with open(path) as file:
        file.readlines()
    with open(path, "w", newline="") as file:
        json.dump({"a": [1]}, file), csv.writer(file).writerow([1])
    shutil.copy(path, folder + "/g.txt"), os.remove(folder + "/g.txt")
pickle.loads(pickle.dumps({"a": [1, Item("x")], "b": {2.5}})), copy.deepcopy({"a": [1]})
pprint.pformat({"a": list(range(40))}), uuid.uuid4(), urllib.parse.urlparse("http://a/b?c=d")
urllib.parse.quote("a b")
logging.getLogger("x").warning("w")
logging.basicConfig(level="INFO", format="%(asctime)s %(message)s", force=True), logging.info("i")
logging.basicConfig(force=True), logging.getLogger().handlers.clear()
logging.getLogger().setLevel("WARNING")
random.seed(1), random.choice([1, 2]), random.sample(range(10), 3), random.gauss(0, 1)
random.shuffle([1, 2]), random.randint(1, 6), random.choices("ab", k=2)
calendar.month(2024, 2), time.strftime("%Y"), datetime.timedelta(days=1, hours=2)
datetime.datetime.now(datetime.timezone.utc).isoformat(), string.Template("$a").substitute(a=1)
f"{1e6:,.0f} {0.123:.1%} {255:#x} {'a':^5} {3.14159:10.3f} {1!r:>4}"
f"{datetime.date(2024, 1, 2):%d %b}"
"%5.2f %s %d" % (1.5, "a", 3), "{:>10}{:<5}".format("a", 1)
argparse.ArgumentParser().parse_args([])
import unittest
class Case(unittest.TestCase):
    def test_a(self):
        self.assertEqual(1, 1)
suite = unittest.defaultTestLoader.loadTestsFromTestCase(Case)
unittest.TextTestRunner(stream=io.StringIO()).run(suite)
import asyncio
async def work(n):
    await asyncio.sleep(0)
    return n
async def all_work():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work(n)) for n in range(3)]
    queue = asyncio.Queue()
    await queue.put(1)
    async with asyncio.timeout(1):
        await queue.get()
    return [task.result() for task in tasks], await asyncio.gather(work(1), work(2))
asyncio.run(all_work())
try:
    fib("x")
except TypeError:
    traceback.format_exc()
"""

JOBS = (_LIBRARY, _TEXTS, _OFFICE, _GRAPHS, _NUMBERS, _ALGEBRA, _CALCULUS, _LIBRARY)
