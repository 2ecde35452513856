"""Warm native jobs against the same jobs in a fresh Python: medians of interleaved runs.

    python3 benches/native_warm.py [--server FILE] [--venv DIR] [--rounds N]

Each round runs every job twice: as a `tools/call` of one running server (time from the request's
line to the answer's), and as `venv/bin/python` in an empty directory (time of the whole process),
where `plt.show()` is replaced by writing the figure to a file. The first call of each job is not
counted: the server may learn an import from it.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from client import Client

PLOT = """
import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(0, 10, 200)
plt.plot(x, np.sin(x), label="sin")
plt.plot(x, np.cos(x), label="cos")
plt.title("waves")
plt.legend()
plt.show()
"""
GROUPBY = """
import numpy as np
import pandas as pd
rng = np.random.default_rng(1)
frame = pd.DataFrame({"key": rng.integers(0, 100, 100_000), "value": rng.normal(size=100_000)})
print(frame.groupby("key")["value"].agg(["mean", "std", "count"]).head())
"""
KMEANS = """
import numpy as np
from sklearn.cluster import KMeans
points = np.random.default_rng(1).normal(size=(500, 2))
print(KMeans(n_clusters=3, n_init=10, random_state=1).fit(points).inertia_)
"""
# With the promised median in ms.
JOBS = {"plot": (PLOT, 120), "groupby": (GROUPBY, 60), "KMeans": (KMEANS, 150)}
WARM_UP_SECONDS = 60


class Server(Client):
    """One running server, whose calls are timed."""

    def run(self, code: str) -> float:
        """Run a job; the milliseconds from request to answer."""
        before = time.perf_counter()
        text, _, result = self.call({"code": code, "timeout": 50})
        took = (time.perf_counter() - before) * 1000
        if result.get("isError"):
            raise SystemExit(f"the job failed: {text}")
        return took

    def resident(self) -> dict[str, int]:
        """Give the resident MiB of the server and of its fork server."""
        command = ["ps", "-o", "pid=", "--ppid", str(self.process.pid)]
        *_, parent = subprocess.run(command, check=True, capture_output=True).stdout.split()
        pids = {"server": self.process.pid, "fork server": int(parent)}
        return {name: _resident(pid) for name, pid in pids.items()}


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS"))


def fresh(python: Path, code: str) -> float:
    """Run a job in a Python of its own; the milliseconds of the process."""
    code = code.replace("plt.show()", "plt.savefig('plot.png')")
    with tempfile.TemporaryDirectory() as folder:
        # Without the list of fonts the fresh process would look even worse.
        for cache in python.parent.parent.glob("share/matplotlib-cache/fontlist-*.json"):
            os.symlink(cache, Path(folder, cache.name))
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "MPLCONFIGDIR": folder}
        environment |= {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(python), "-I", "-B", "-c", code]
        before = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return (time.perf_counter() - before) * 1000


def main() -> None:
    """Measure and print a table."""
    root = Path(__file__).resolve().parent.parent
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", type=Path, default=root / "target/release/mcp-python-sandbox")
    parser.add_argument("--venv", type=Path, default=cache / "mcp-python-sandbox/venv/current")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    server = Server([str(arguments.server), "serve", "--venv", str(arguments.venv)])
    before_load = os.getloadavg()[0]
    for code, _ in JOBS.values():
        server.run(code)
    server.run("import sklearn.cluster")
    time.sleep(1)
    until = time.monotonic() + WARM_UP_SECONDS
    learned = "import sys\nimport numpy\nprint('sklearn.cluster' in sys.modules)"
    while "True" not in server.call({"code": learned})[0] and time.monotonic() < until:
        time.sleep(1)
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in JOBS}
    for _ in range(arguments.rounds):
        for name, (code, _) in JOBS.items():
            times[name][0].append(server.run(code))
            times[name][1].append(fresh(arguments.venv / "bin/python", code))
    resident = server.resident()
    server.close()
    load = f"load {before_load:.1f} before and {os.getloadavg()[0]:.1f} after"
    print(f"{arguments.rounds} rounds, {load}, {os.cpu_count()} processors")
    print("job         warm ms   best  promised  fresh ms   best  ratio")
    for name, (warm, cold) in times.items():
        ratio = statistics.median(cold) / statistics.median(warm)
        print(
            f"{name:10} {statistics.median(warm):8.1f} {min(warm):6.1f} {JOBS[name][1]:9} "
            f"{statistics.median(cold):9.1f} {min(cold):6.1f} {ratio:5.1f}x"
        )
    print("resident: " + ", ".join(f"{name} {size} MiB" for name, size in resident.items()))


if __name__ == "__main__":
    main()
