#: runtime auto
#: arguments {"timeout": 50}
from bs4 import BeautifulSoup

print(BeautifulSoup("<p>a<b>c", "lxml").p)
#: ran native because `lxml` needs the native runtime, which was noticed when the code ran
# | <p>a<b>c</b></p>
# | [run again from the start in the native runtime: `lxml` needs the native runtime, which was noticed when the code ran]
# --- call
#: arguments {"timeout": 50}
from bs4 import BeautifulSoup

print(BeautifulSoup("<a/>", "xml"))
#: ran native because `lxml` needs the native runtime, which was noticed when the code ran
# | <?xml version="1.0" encoding="utf-8"?>
# | <a/>
# | [run again from the start in the native runtime: `lxml` needs the native runtime, which was noticed when the code ran]
# --- call
#: arguments {"timeout": 50}
import networkx as nx

print(nx.to_numpy_array(nx.path_graph(2)))
#: ran native because `numpy` needs the native runtime, which was noticed when the code ran
# | [[0. 1.]
# |  [1. 0.]]
# | [run again from the start in the native runtime: `numpy` needs the native runtime, which was noticed when the code ran]
# --- call
#: arguments {"timeout": 50}
import networkx as nx

print(len(nx.pagerank(nx.path_graph(3))))
#: ran native because `numpy` needs the native runtime, which was noticed when the code ran
# | 3
# | [run again from the start in the native runtime: `numpy` needs the native runtime, which was noticed when the code ran]
# --- call
#: arguments {"timeout": 50}
import sympy

sympy.plot(sympy.Symbol("x"), show=False)
#: ran native because `matplotlib` needs the native runtime, which was noticed when the code ran
# | [run again from the start in the native runtime: `matplotlib` needs the native runtime, which was noticed when the code ran]
# --- call
#: arguments {"timeout": 50}
import sympy

print(sympy.lambdify(sympy.Symbol("x"), sympy.Symbol("x"), "numpy")(3))
#: ran native because `numpy` needs the native runtime, which was noticed when the code ran
# | 3
# | [run again from the start in the native runtime: `numpy` needs the native runtime, which was noticed when the code ran]
# --- call
import importlib.util

print(importlib.util.find_spec("numpy").name)
#: ran native because `numpy` needs the native runtime, which was noticed when the code ran
# | numpy
# | [run again from the start in the native runtime: `numpy` needs the native runtime, which was noticed when the code ran]
