"""How long the page of `browse` takes to open in Chromium: from the request to the first row laid out.

    python benchmarks/browse.py [PATH] [--times 5]

PATH is a file or the folder of a run; without one, 2,000 rows of recipes/conversations.yaml are made. Prints the size of
the page, the median of several openings in a new profile, and the same for a page of one row: the difference is what
the rows cost. The policy of the page is left out, because a script that looks at the clock is added.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from generator.report.page import MOST, browse_page

FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --dump-dom"  # fmt: skip
CLOCK = """<script>document.body.dataset.high = document.querySelector("article").getBoundingClientRect().height;
  document.body.dataset.ms = performance.now();</script>"""


def main() -> None:
    """Make rows if none are named, and print a line for each page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, help="a file or the folder of a run")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.path or _made(Path(folder, "rows"))
        text, rows = browse_page([path])
        few = Path(folder, "few.jsonl")
        few.write_text("".join(_first_lines(path, 1)))
        one, _ = browse_page([few])
        for name, page in ((f"{rows:,} rows", text), ("1 row", one)):
            times = [_opened(page, Path(folder), number) for number in range(options.times)]
            told = ", ".join(f"{ms:,.0f}" for ms in sorted(times))
            print(f"{name}: {len(page.encode()) / 1e6:.1f} MB, {statistics.median(times):,.0f} ms (median of {told})")


def _made(out: Path) -> Path:
    make = ["run", "recipes/conversations.yaml", "--rows", str(MOST), "--format", "openai", "--out", str(out)]
    subprocess.run([sys.executable, "-m", "generator", *make, "--no-report", "--quiet"], check=True)
    return out


def _first_lines(path: Path, number: int) -> list[str]:
    file = next(path.glob("openai*.jsonl")) if path.is_dir() else path
    with file.open(encoding="utf-8") as lines:
        return [next(lines) for _ in range(number)]


def _opened(page: str, folder: Path, number: int) -> float:
    """Milliseconds until a row is laid out."""
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    file = folder / "page.html"
    file.write_text(page.replace("</body>", f"{CLOCK}</body>"), encoding="utf-8", errors="replace")
    profile = folder / f"profile{len(page)}-{number}"
    command = [str(shutil.which("chromium")), *FLAGS.split(), f"--user-data-dir={profile}", file.as_uri()]
    dom = subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode()
    body = dom[dom.index("<body") :][:400]
    found = re.search(r'data-high="[1-9][\d.]*" data-ms="([\d.]+)"', body)
    if found is None:
        raise SystemExit(f"no row was laid out: {body}")
    return float(found[1])


if __name__ == "__main__":
    main()
