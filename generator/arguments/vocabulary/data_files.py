"""The data files of the vocabulary: read once, when they are first needed."""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).parent / "data"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def load(name: str) -> Any:
    """Return the content of `data/NAME.yaml`."""
    return yaml.load((_FOLDER / f"{name}.yaml").read_text("utf-8"), Loader=_LOADER)


@cache
def load_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of `data/NAME.csv`, by column."""
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
