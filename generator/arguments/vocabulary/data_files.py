"""The data files of the vocabulary: read once, when they are first needed."""

import csv
import io
from functools import cache
from pathlib import Path
from typing import Any

from generator.core.files import read_regular
from generator.core.yaml_values import own_data

_FOLDER = Path(__file__).parent / "data"


@cache
def load(name: str) -> Any:
    """Return the content of `data/NAME.yaml`."""
    return own_data(__file__, f"data/{name}.yaml")


@cache
def load_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of `data/NAME.csv`, by column."""
    return list(csv.DictReader(io.StringIO(read_regular(_FOLDER / f"{name}.csv").decode(), newline="")))
