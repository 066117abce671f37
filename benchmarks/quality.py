"""What rows look like: the figures of docs/quality.md for shipped recipes, beside those of public sets that a package ships.

    python benchmarks/quality.py [--recipe recipes/mixed.yaml ...] [--rows 10000] [--json FILE]

Makes the rows in a temporary folder, measures them with `report`, and prints one column for each recipe. Where `bfcl-eval`
is installed, the single-turn items of BFCL v4 with their answers are measured too: a benchmark, not training data, and
without results and answers, so that some figures have nothing to count there.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

RECIPES = ("mixed", "parallel", "sequential", "conversations", "hard")
FIGURES = (
    ("near-duplicate requests; with values masked", ("near_duplicates.plain", "near_duplicates.masked"), " %"),
    ("most frequent opener", ("openers.most_frequent",), " %"),
    ("rows, and requests, for several tools that hang together", ("tools.related", "tools.related_turns"), " %"),
    ("answers with one of the 100, the 500 commonest skeletons", ("skeletons.top_100", "skeletons.top_500"), " %"),
    ("lines of the system message that are followed", ("instructions.followed",), " %"),
    ("conversations whose results disagree", ("contradictions.disagreeing",), " %"),
)
BFCL = ("simple_python", "multiple", "parallel", "parallel_multiple")


def main() -> None:
    """Measure and print a Markdown table."""
    options = _options()
    recipes = options.recipe or [Path("recipes", f"{name}.yaml") for name in RECIPES]
    with tempfile.TemporaryDirectory() as folder:
        columns = {recipe.stem: _figures(_rows(recipe, options.rows, Path(folder))) for recipe in recipes}
        if find_spec("bfcl_eval"):
            columns["BFCL"] = _figures(_bfcl(Path(folder)))
    print(f"| figure | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for title, names, unit in FIGURES:
        print(f"| {title} | {' | '.join([_shown(figures, names, unit) for figures in columns.values()])} |")
    if options.json:
        options.json.write_text(json.dumps(columns, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--recipe", type=Path, action="append", help="a recipe; all that docs/quality.md shows, if none is named"
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args()


def _rows(recipe: Path, rows: int, folder: Path) -> Path:
    out = folder / recipe.stem
    _generator("run", str(recipe), "--rows", str(rows), "--out", str(out), "--no-report")
    return out


def _bfcl(folder: Path) -> Path:
    """The single-turn items of BFCL with their answers, in one file that `report` reads."""
    found = find_spec("bfcl_eval")
    assert found is not None
    assert found.origin is not None
    data = Path(found.origin).parent / "data"
    out = folder / "bfcl.jsonl"
    with out.open("w", encoding="utf-8") as file:
        for name in [f"{prefix}{kind}" for prefix in ("", "live_") for kind in BFCL]:
            name = name.replace("live_simple_python", "live_simple")
            answers = {
                item["id"]: item["ground_truth"] for item in _lines(data / "possible_answer" / f"BFCL_v4_{name}.json")
            }
            for item in _lines(data / f"BFCL_v4_{name}.json"):
                if item["id"] in answers:
                    file.write(json.dumps({**item, "ground_truth": answers[item["id"]]}) + "\n")
    return out


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _figures(path: Path) -> dict[str, float | None]:
    report = json.loads(_generator("report", str(path), "--json"))["reports"][0]
    return {
        f"{name}.{key}": value for name, found in report["metrics"].items() for key, value in found["figures"].items()
    }


def _generator(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "generator", *arguments], check=True, capture_output=True, text=True
    ).stdout


def _shown(figures: dict[str, float | None], names: tuple[str, ...], unit: str) -> str:
    values = [figures[name] for name in names]
    return "; ".join(["–" if value is None else f"{_rounded(value)}{unit}" for value in values])


def _rounded(value: float) -> str:
    return (
        f"{value:.0f}" if value >= 10 else f"{value:.2f}" if value < 1 and value else f"{value:.1f}".removesuffix(".0")
    )


if __name__ == "__main__":
    main()
