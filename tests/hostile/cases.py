"""One hostile invocation: the files it finds, what is typed, and the environment; and the plain recipe and tool they start from."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.pointers import escape, set_at

FAMILIES = (
    "recipes",
    "tool_files",
    "injections",
    "data_files",
    "environments",
    "rows",
    "corpus_folders",
    "foreign_code",
    "transcripts",
    "agent_texts",
    "scripts",
    "served_episodes",
    "descriptors",
)
"""Modules beside this one, each with cases that always run (`always`) and more to draw from (`some`)."""
RECIPE: dict[str, Any] = {"name": "r", "rows": 2, "tools": ["t.json"], "scenarios": ["single"], "formats": ["openai"]}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Find a book.",
        "parameters": {
            "type": "object",
            "properties": {"title": {"type": "string"}, "copies": {"type": "integer", "minimum": 1, "maximum": 9}},
            "required": ["title"],
        },
    },
    "returns": {
        "type": "object",
        "properties": {"price": {"type": "number"}, "id": {"type": "string"}},
        "required": ["price"],
    },
    "examples": {"title": ["Dune", "Emma"]},
    "phrases": {
        "request": ["Find {title}[, {copies} copies]."],
        "slots": {"copies": ["{copies}"]},
        "answer": ["It costs {price}."],
        "each": {},
    },
}
RUN = ("run", "r.yaml", "--out", "o", "--executor", "serial", "--quiet", "--no-report")


class Case(msgspec.Struct, frozen=True):
    """Its files, by name, and arguments; `environment` is set beside what is there."""

    name: str
    files: dict[str, bytes]
    arguments: tuple[str, ...] = RUN
    environment: dict[str, str] = {}
    runs_code: bool = False
    """Whether it may start a process, which is a room."""
    typed: bytes | None = None
    """What comes from standard input."""
    descriptors: int = 0
    """How many files may be open at once; 0: as many as usual."""


def changed(value: Any, place: str, new: Any) -> Any:
    """A copy with another value at a JSON pointer."""
    value = copy.deepcopy(value)
    set_at(value, place, new)
    return value


def places(value: Any, at: str = "") -> Iterator[str]:
    """Pointers to everything in a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        place = f"{at}/{escape(str(key))}"
        yield place
        yield from places(part, place)


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode("ascii")


def of_recipe(name: str, recipe: Any, tool: Any = TOOL, **more: bytes) -> Case:
    """A run of a recipe (a value, or text) and of one tool."""
    text = recipe if isinstance(recipe, bytes) else recipe.encode() if isinstance(recipe, str) else as_json(recipe)
    return Case(name, {"r.yaml": text, "t.json": as_json([tool]), **more})
