"""What the assistant offers when a call cannot be made as asked, in fixed words: those of the wording, which the proof reads."""

from pathlib import Path
from typing import Any

from generator.documents import parse_yaml
from generator.errors import OutputError

_FILE = Path(__file__).with_suffix(".yaml")
_TABLES: dict[str, Any] = parse_yaml(_FILE.read_text(encoding="utf-8"), str(_FILE), OutputError)
REFUSING_ANOTHER: tuple[str, ...] = tuple(_TABLES["another"]["refused"])
"""What the user says who does not want another thing in place of one that cannot be had."""
NONE_TAKEN: tuple[str, ...] = tuple(_TABLES["another"]["left"])
"""What the assistant says to that."""
