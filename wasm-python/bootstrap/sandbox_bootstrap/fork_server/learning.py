"""What the fork server imports because jobs did, beside what the operator had it preload.

A module gets here if a job that ended well had really imported it, and if it stands in the list
below. Each of the list was imported beside a preloaded parent, and everything that a later job
could notice was compared before and after (`tests/native/inheritance.rs` does it again): threads,
files, handlers of signals, hooks, options, and the registries of other libraries. What may stay
behind are exit handlers of their own, which find nothing to do. So `seaborn` is not in it (it adds
colour maps to matplotlib), nor `sklearn.experimental` (it adds names to `sklearn`), nor anything
that is made to be run.
"""

import os
import socket
import sys
import warnings

from . import control

NAMES = tuple(
    """
    bs4 docx jinja2 lxml.etree lxml.html markdown networkx openpyxl peewee PyPDF2 requests rich
    rich.console rich.table sympy tabulate toolz tqdm xlrd yaml
    scipy.cluster.hierarchy scipy.cluster.vq scipy.constants scipy.fft scipy.fftpack
    scipy.integrate scipy.interpolate scipy.io scipy.linalg scipy.ndimage scipy.odr scipy.optimize
    scipy.signal scipy.sparse scipy.sparse.csgraph scipy.sparse.linalg scipy.spatial
    scipy.spatial.distance scipy.special scipy.stats
    sklearn.cluster sklearn.compose sklearn.datasets sklearn.decomposition
    sklearn.discriminant_analysis sklearn.ensemble sklearn.feature_extraction.text
    sklearn.feature_selection sklearn.gaussian_process sklearn.impute sklearn.linear_model
    sklearn.manifold sklearn.metrics sklearn.mixture sklearn.model_selection sklearn.naive_bayes
    sklearn.neighbors sklearn.neural_network sklearn.pipeline sklearn.preprocessing sklearn.svm
    sklearn.tree
    """.split()
)


def learn(server: socket.socket, names: list[str]) -> None:
    """Import those of `names` that are in the list; one that fails costs itself alone.

    Each is announced, so that the server knows which one ended this process.
    """
    environment, filters = dict(os.environ), warnings.filters[:]
    for name in names:
        if name not in NAMES:
            continue
        control.say(server, control.TRYING, name)
        try:
            __import__(name)
        except BaseException:  # SystemExit among them: this process is not the job's to end
            control.say(server, control.FAILED, name)
    # Settings for themselves that libraries leave where everybody sees them.
    for variable in os.environ.keys() - environment.keys():
        del os.environ[variable]
    os.environ.update(environment)
    warnings.filters[:] = filters  # type: ignore[index]


def unknown() -> tuple[str, ...]:
    """The names of the list that this process has not imported."""
    return tuple(name for name in NAMES if name not in sys.modules)
