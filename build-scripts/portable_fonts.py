"""Removes the fonts of this machine from matplotlib's font lists; its own are named relative to it.

portable_fonts.py FILE…
"""

import json
import sys
from pathlib import Path

for path in map(Path, sys.argv[1:]):
    fonts = json.loads(path.read_text(encoding="utf-8"))
    for kind in ("ttflist", "afmlist"):
        fonts[kind] = [font for font in fonts[kind] if not font["fname"].startswith("/")]
    path.write_text(json.dumps(fonts, indent=1), encoding="utf-8")
