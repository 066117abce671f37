"""The tools of a document, wherever they stand in it."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document, Place, shown
from generator.core.toolbox import ToolOrigin
from generator.tools.specs.found import FoundTool


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


def left_out_of(document: Document) -> Iterator[FoundTool]:
    """Yield what a list holds that is no tool, and a list that is cut off, as tools that are refused."""
    value: Any = document.value
    place: Place = ()
    if isinstance(value, dict) and isinstance(value.get("result"), dict) and "tools" in value["result"]:
        value, place = value["result"], ("result",)
    listed = value.get("tools") if isinstance(value, dict) else value
    for index, tool in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(tool, dict):
            at = (*place, *(("tools",) if listed is not value else ()), index)
            yield FoundTool(
                name="?",
                where=document.where(at),
                origin=_NO_KIND,
                refused=f"{shown(tool)} stands in the place of a tool",
            )
    if isinstance(value, dict) and value.get("nextCursor"):
        refused = (
            "the list is cut off: `nextCursor` says that there are more tools; list them all, and save them together"
        )
        yield FoundTool(
            name="nextCursor", where=document.where((*place, "nextCursor")), origin=_NO_KIND, refused=refused
        )


_NO_KIND = ToolOrigin(kind="list")


def text_or_none(value: Any) -> str | None:
    """Return the text, if it is one and says something."""
    return value if isinstance(value, str) and value.strip() else None
