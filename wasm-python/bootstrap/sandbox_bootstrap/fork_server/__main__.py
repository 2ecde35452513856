"""Starts the fork server: `python fork_server/__main__.py WALLS MODULE… -- LEARNED…`.

WALLS is `confined` or `unconfined`.
"""

import os
import sys

# Run by path, because an isolated interpreter finds no package outside of its venv.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from sandbox_bootstrap.fork_server.child import run as _run
from sandbox_bootstrap.fork_server.server import main as _serve

if __name__ == "__main__":
    _preload, _, _learned = " ".join(sys.argv[2:]).partition("--")
    # Comes back once in the server's process, and once in each child, from which everything of the
    # server is then gone: its frames, its objects, its descriptors.
    _channel = _serve(sys.argv[1] == "confined", _preload.split(), _learned.split())
    if _channel is not None:
        _run(_channel)
