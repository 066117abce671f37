"""The tools of a document, wherever they stand in it."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Place


def objects_in(value: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield objects of a list, of `{"tools": [...]}` or of `{"result": {"tools": [...]}}`; or the one object itself."""
    place: Place = ()
    if isinstance(value, dict) and isinstance(value.get("result"), dict) and "tools" in value["result"]:
        value, place = value["result"], ("result",)
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        value, place = value["tools"], (*place, "tools")
    if isinstance(value, list):
        yield from (((*place, index), tool) for index, tool in enumerate(value) if isinstance(tool, dict))
    elif isinstance(value, dict):
        yield place, value


def text_or_none(value: Any) -> str | None:
    """Return the text, if it is one and says something."""
    return value if isinstance(value, str) and value.strip() else None
