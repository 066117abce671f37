"""Words in names that tell what scenarios can do with tools, arguments and fields; they stand in `names.yaml`."""

from functools import cache
from pathlib import Path

from generator.documents import parse_yaml
from generator.errors import OutputError


@cache
def _tables() -> dict[str, list[str]]:
    path = Path(__file__).with_suffix(".yaml")
    return dict(parse_yaml(path.read_text(encoding="utf-8"), str(path), OutputError))


def words_that_tell(key: str) -> frozenset[str]:
    """Return the words under a key of `names.yaml`."""
    return frozenset(_tables()[key])
