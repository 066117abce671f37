"""Takes the two pictures of docs/data-files.md: `python docs/pictures.py [RUN] [--to FOLDER]`.

They are photographs of a page that `browse` writes of 200 rows of recipes/conversations.yaml, or of RUN, in Chromium: on a desk, in light; and
on two phones, in dark, where the second shows an attempt that was rejected; of a recipe
that limits the length of rows, so that there are such.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars"  # fmt: skip
FRAME = '<iframe src="rows.html#%s" style="border:0;flex:none;width:%dpx;height:%dpx"></iframe>'


def main() -> None:
    """Make the rows, the page, and the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "docs")
    parser.add_argument("run", nargs="?", type=Path, help="the folder of a finished run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = options.run.absolute() if options.run else folder / "conversations"
        if not options.run:
            recipe = (ROOT / "recipes/conversations.yaml").read_text(encoding="utf-8").replace("../", f"{ROOT}/")
            (folder / "recipe.yaml").write_text(f"{recipe}\nlengths: {{max_tokens: 1200}}\n", encoding="utf-8")
            rows = ["--rows", "200", "--format", "openai", "--quiet", "--no-report"]
            generator(["run", "recipe.yaml", *rows, "--out", run.name], folder)
        generator(["browse", str(run) if options.run else run.name, "--out", "rows.html"], folder)
        wrong = next(iter(attempts_with_text(run / "rejected.jsonl")), "0/2")
        photograph(folder, [("0/5", 1280)], 800, options.to / "browse.png", dark=False)
        photograph(folder, [("0/5", 390), (wrong, 390)], 844, options.to / "browse-phone.png", dark=True)


def generator(arguments: list[str], folder: Path) -> None:
    """Run a command of the program in a folder."""
    subprocess.run([sys.executable, "-m", "generator", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)


def attempts_with_text(rejected: Path) -> list[str]:
    """The links to attempts that were rejected when all of them had been said."""
    lines = rejected.read_text(encoding="utf-8").splitlines()
    return [f"0/rejected-{number}" for number, line in enumerate(lines, 1) if json.loads(line).get("messages")]


def photograph(folder: Path, screens: list[tuple[str, int]], height: int, to: Path, *, dark: bool) -> None:
    """Take a picture of screens side by side: (link to a row, width)."""
    frames = "".join(FRAME % (link, width, height) for link, width in screens)
    (folder / "desk.html").write_text(f'<body style="margin:0;display:flex;gap:12px;background:#888">{frames}</body>')
    across = sum(width + 12 for _, width in screens) - 12
    look = [f"--window-size={across},{height}", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    profile = f"--user-data-dir={folder}/profile-{to.stem}"
    command = [str(shutil.which("chromium")), *FLAGS.split(), profile, *look, f"--screenshot={to.absolute()}"]
    subprocess.run([*command, (folder / "desk.html").as_uri()], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
