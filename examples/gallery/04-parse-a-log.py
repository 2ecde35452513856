# Asked: What stands out in this access log?
# file: access.log
import re
from collections import Counter
from statistics import quantiles

LINE = re.compile(r'(\S+) \S+ \S+ \[(.+?)\] "(\w+) (\S+) [^"]*" (\d{3}) (\d+) (\d+)')
requests = [LINE.match(line).groups() for line in open("access.log")]

print(len(requests), "requests from", requests[0][1], "to", requests[-1][1])
print("by status: ", dict(sorted(Counter(status for *_, status, _, _ in requests).items())))
print("by address:", Counter(address for address, *_ in requests).most_common(3))
print("refused:   ", Counter((address, path) for address, _, _, path, status, _, _ in requests if status == "403").most_common(2))
times = sorted(int(time) for *_, time in requests)
print(f"time (ms):  median {times[len(times) // 2]}, 95th percentile {quantiles(times, n=20)[-1]:.0f}, longest {times[-1]}")
for address, when, method, path, status, size, time in requests:
    if status == "500":
        print(f"failed:     {when} {method} {path} after {time} ms")
