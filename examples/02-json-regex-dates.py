"""A log in, a summary out: json, re, datetime, collections, zoneinfo."""

import json
import re
from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

LOG = """\
2026-03-01T08:15:02Z GET /index.html 200 12ms
2026-03-01T08:15:09Z GET /missing 404 3ms
2026-03-01T08:16:44Z POST /login 200 87ms
2026-03-01T08:17:01Z GET /missing 404 2ms
"""
LINE = re.compile(r"(?P<time>\S+) (?P<method>\w+) (?P<path>\S+) (?P<status>\d+) (?P<ms>\d+)ms")

entries = [match.groupdict() for match in LINE.finditer(LOG)]
first = datetime.fromisoformat(entries[0]["time"]).astimezone(ZoneInfo("Asia/Shanghai"))
summary = {
    "requests": len(entries),
    "by status": Counter(entry["status"] for entry in entries),
    "slowest": max(entries, key=lambda entry: int(entry["ms"]))["path"],
    "first, in Shanghai": first.isoformat(),
}
print(json.dumps(summary, indent=2))
