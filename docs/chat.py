"""Draws chat.png, the picture in README.md: one answer of the gallery as a chat shows it.

The question, the text and the plot come from examples/README.md, which `make gallery` writes from
real calls. Needs chromium. Run it again when that section changes: python3 docs/chat.py
"""

import argparse
import html
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
TITLE = "8. Fit a curve"
# Question, runtime, text of the answer, picture.
SECTION = r"\s*> ([^\n]+)\n.*?; (\w+) runtime\.\n\n```text\n(.*?)\n```\n\n!\[[^\n]*\]\(([^)\n]+)\)"
WIDTH, HEIGHT = 820, 694

PAGE = """<!doctype html>
<meta charset="utf-8">
<style>
  * {{ box-sizing: border-box; }}
  body {{ margin: 0; padding: 22px 26px; width: {width}px; background: #fff; color: #1f2328;
          font: 16px/1.45 Inter, "Noto Sans", "DejaVu Sans", sans-serif; }}
  .question {{ width: fit-content; max-width: 84%; margin: 0 0 18px auto; padding: 10px 16px;
               border-radius: 16px; background: #ececf1; }}
  .answer {{ border: 1px solid #d8dbe0; border-radius: 12px; overflow: hidden; }}
  .tool {{ padding: 8px 16px; background: #f6f7f9; border-bottom: 1px solid #d8dbe0;
           font-size: 14px; color: #57606a; }}
  .tool b {{ color: #1f2328; }}
  .text {{ padding: 12px 16px 0; white-space: pre-wrap; overflow-wrap: anywhere;
           font: 14px/1.5 "JetBrains Mono", "DejaVu Sans Mono", monospace; }}
  .shows {{ color: #6e7781; font-size: 11.5px; }}
  img {{ display: block; margin: 4px auto 8px; width: 570px; }}
</style>
<div class="question">{question}</div>
<div class="answer">
  <div class="tool"><b>run_python</b> on python-sandbox, {runtime} runtime</div>
  <div class="text">{printed}
<span class="shows">{shows}</span></div>
  <img src="{picture}">
</div>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default="chromium", help="the browser's command")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/chat.png")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "chat.html"
        page.write_text(chat(), encoding="utf-8")
        browser = [args.chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        browser += ["--disable-background-networking", "--disable-sync", "--hide-scrollbars"]
        browser += [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        browser += [f"--screenshot={args.out.resolve()}", page.as_uri()]
        subprocess.run(browser, check=True, stderr=subprocess.DEVNULL, timeout=120)
    print(f"{args.out}: {args.out.stat().st_size} bytes")


def chat() -> str:
    """The page, filled in from the gallery."""
    gallery = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    _, _, section = gallery.partition(f"\n## {TITLE}\n")
    parts = re.match(SECTION, section, re.DOTALL)
    if not parts:
        sys.exit(f"examples/README.md has no section `{TITLE}` with a text and a picture")
    question, runtime, text, picture = parts.groups()
    # The line that announces the image also begins its description.
    printed, shows = text.split("\n[image 1: ", 1)
    return PAGE.format(
        width=WIDTH,
        question=html.escape(question),
        runtime=runtime,
        printed=html.escape(printed),
        shows=html.escape("[image 1: " + shows),
        picture=(ROOT / "examples" / picture).as_uri(),
    )


if __name__ == "__main__":
    main()
