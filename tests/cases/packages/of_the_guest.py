#: arguments {"timeout": 50}
from sympy import *

x = symbols("x")
integrate(sin(x) ** 2 * exp(x), x)
# | 3*exp(x)*sin(x)**2/5 - 2*exp(x)*sin(x)*cos(x)/5 + 2*exp(x)*cos(x)**2/5
# --- call
from sympy import *

x = symbols("x")
print(solve(x**3 - 6 * x**2 + 11 * x - 6, x))
# | [1, 2, 3]
# --- call
import networkx as nx

g = nx.path_graph(5)
print(nx.shortest_path(g, 0, 4), nx.density(g))
# | [0, 1, 2, 3, 4] 0.4
# --- call
from bs4 import BeautifulSoup

print(BeautifulSoup("<p>a<b>c", "html.parser"))
# | <p>a<b>c</b></p>
# --- call
from dateutil.parser import parse

print(parse("5 March 2023 5pm"))
# | 2023-03-05 17:00:00
# --- call
import yaml

print(yaml.safe_load("a: [1, yes]"))
# | {'a': [1, True]}
# --- call
import jinja2

print(jinja2.Template("{% for i in x %}{{ i }};{% endfor %}").render(x=[1, 2]))
# | 1;2;
# --- call
import openpyxl

book = openpyxl.Workbook()
book.active["A1"] = 5
book.save("a.xlsx")
print(openpyxl.load_workbook("a.xlsx").active["A1"].value)
# | 5
# | [files written: a.xlsx (<n> bytes)]
# --- call
import io

from tqdm import tqdm

print(sum(tqdm(range(4), file=io.StringIO())))
# | 6
# --- call
import tabulate

print(tabulate.tabulate([[1, 2]], tablefmt="plain"))
# | 1  2
# --- call
import markdown

print(markdown.markdown("*a*"))
# | <p><em>a</em></p>
# --- call
import attrs
import mpmath
import pygments
import PyPDF2
import rich
import six
import toolz
import typing_extensions
import xlrd

print(mpmath.mp.dps)
# | 15
