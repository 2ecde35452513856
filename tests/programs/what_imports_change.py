import builtins
import copyreg
import decimal
import gc
import importlib
import json
import locale
import logging
import mimetypes
import os
import signal
import socket
import sys
import threading
import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy
import pandas
from PIL import Image
from pandas._config.config import _registered_options

MODULES = 0


def descriptors():
    found = []
    for number in range(256):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found


def pandas_options():
    with warnings.catch_warnings(action="ignore"):
        return {key: pandas.get_option(key) for key in _registered_options}


def state():
    root = logging.getLogger()
    return {
        "threads": threading.active_count(),
        "descriptors": descriptors(),
        "directory": os.getcwd(),
        "handlers of signals": [signal.getsignal(number) for number in range(1, 32)],
        "hooks": (sys.excepthook, sys.displayhook, sys.unraisablehook, sys.breakpointhook,
                  sys.gettrace(), sys.getprofile(), threading.excepthook),
        "import hooks": (sys.meta_path[:], sys.path_hooks[:], sys.path[:]),
        "builtins": sorted(vars(builtins)),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold()),
        "locale": locale.setlocale(locale.LC_ALL),
        "decimal": str(decimal.getcontext()),
        "logging": (root.level, root.handlers[:], logging._srcfile, logging.getLoggerClass()),
        "sockets": (socket.getdefaulttimeout(), socket.socket, socket.create_connection),
        "mimetypes": mimetypes.guess_type("a.xlsx"),
        "numpy": (numpy.geterr(), numpy.get_printoptions(), numpy.geterrcall()),
        "random": numpy.random.get_state()[1].tolist(),
        "matplotlib": (dict(matplotlib.rcParams), matplotlib.get_backend(), plt.get_fignums()),
        "colour maps": sorted(matplotlib.colormaps),
        "styles": sorted(plt.style.available),
        "projections": matplotlib.projections.get_projection_names(),
        "units": sorted(map(str, matplotlib.units.registry)),
        "pandas": pandas_options(),
        "accessors": [sorted(kind._accessors) for kind in (pandas.Series, pandas.DataFrame)],
        "pictures": (sorted(Image.OPEN), sorted(Image.SAVE)),
        "warnings' own": (warnings.showwarning, warnings.formatwarning),
    }


# What these hold is theirs alone, and theirs only if somebody imports them.
SHARED = ("numpy", "pandas", "matplotlib", "PIL.Image", "json", "os", "sys", "math", "random", "io")


def names():
    return {name: sorted(vars(sys.modules[name])) for name in SHARED if name in sys.modules}


Image.init()
before, names_before = state(), names()
for module in MODULES:
    importlib.import_module(module)
    after, names_after = state(), names()
    for what in before:
        if before[what] != after[what]:
            print(module, "changes", what, before[what], after[what])
    for name in names_before:
        new = {new for new in names_after[name] if new not in names_before[name]}
        # A submodule becomes an attribute of its package, as always.
        new = {one for one in new if f"{name}.{one}" not in sys.modules}
        if new:
            print(module, "adds to", name, sorted(new))
    before, names_before = after, names_after
print("done")
