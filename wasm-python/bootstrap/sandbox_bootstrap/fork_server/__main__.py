"""Starts the fork server: `python fork_server/__main__.py MODULE… -- LEARNED…`."""

import os
import sys

# Run by path, because an isolated interpreter finds no package outside of its venv.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from sandbox_bootstrap.fork_server import server

if __name__ == "__main__":
    preload, _, learned = " ".join(sys.argv[1:]).partition("--")
    server.main(preload.split(), learned.split())
