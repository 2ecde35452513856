#: runtime native
# C code opens, looks at, makes and removes what Python sees.
import ctypes
import os
import sqlite3
import tempfile

from lxml import etree
from PIL import Image, ImageFont

libc = ctypes.CDLL(None, use_errno=True)
libc.fopen.restype = ctypes.c_void_p
os.mkdir("/mnt/data/made")
tree = etree.ElementTree(etree.fromstring("<a><b/></a>"))
tree.write("/mnt/data/made/a.xml")
print(open("made/a.xml").read())
with etree.xmlfile("/tmp/b.xml") as out:
    out.write(etree.Element("row"))
print([element.tag for _, element in etree.iterparse("/tmp/b.xml")])
database = sqlite3.connect("file:/mnt/data/made/c.db?mode=rwc", uri=True)
database.execute("create table t (x)")
database.commit()
print(sqlite3.connect("/mnt/data/made/c.db").execute("select name from sqlite_master").fetchall())
print(libc.access(b"/mnt/data/made/a.xml", 4), libc.access(b"/mnt/data/none", 4))
print(bool(libc.fopen(b"/mnt/data/made/a.xml", b"r")), libc.mkdir(b"/tmp/d", 0o700), os.listdir("/tmp/d"))
print(libc.rename(b"/mnt/data/made/a.xml", b"/mnt/data/made/e.xml"), sorted(os.listdir("/mnt/data/made")))
name = ctypes.create_string_buffer(b"/mnt/data/made/XXXXXX")
print(libc.mkstemp(name) > 2, os.path.exists(name.value), libc.unlink(name.value), os.path.exists(name.value))
# Real names stay, and what only looks like one of ours does, too.
real = os.path.join(tempfile.gettempdir(), "b.xml")
print(libc.access(os.fsencode(real), 4), libc.access(b"/mnt/database", 0), os.environ.get("LD_PRELOAD"))
# Shared objects, and modules that are some.
import _json
import importlib.util
import shutil

shutil.copy(_json.__file__, "/mnt/data/made/_json.so")
print(ctypes.CDLL("/mnt/data/made/_json.so")._name, ctypes.CDLL("made/_json.so")._name)
found = importlib.util.spec_from_file_location("_json", "/mnt/data/made/_json.so")
print(importlib.util.module_from_spec(found).__file__)
os.remove("/mnt/data/made/_json.so")
try:
    ctypes.CDLL("/mnt/data/none.so")
except OSError as error:
    print(error)
try:
    ImageFont.truetype("/mnt/data/brand.ttf")
except OSError as error:
    print(error)
# | <a><b/></a>
# | ['row']
# | [('t',)]
# | 0 -1
# | True 0 []
# | 0 ['c.db', 'e.xml']
# | True True 0 False
# | 0 -1 None
# | /mnt/data/made/_json.so made/_json.so
# | /mnt/data/made/_json.so
# | /mnt/data/none.so: cannot open shared object file: No such file or directory
# | cannot open resource
# | [files written: made/c.db (<n> bytes), made/e.xml (<n> bytes)]
