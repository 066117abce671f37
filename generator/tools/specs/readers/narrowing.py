"""Response schemas that refer to hundreds of others, cut down to what a made result can hold.

In real documents a customer refers to its card, which refers to the bank, and so on through the whole document. A
result need not hold all of it: optional properties and alternatives whose definitions are beyond the first ones are
left out, so that what satisfies the schema that is left satisfies the whole one.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from generator.core.pointers import unescape
from generator.tools.specs.walking import rewrite, schemas_in

MOST_DEFINITIONS = 16
"""Definitions that a response schema keeps, the nearest first; those that it cannot do without are kept beyond it."""

_PREFIX = "#/$defs/"


def narrowed(schema: Any, definition_of: Callable[[str], Any]) -> tuple[Any, dict[str, Any]]:
    """Return a schema and the definitions that it needs, without what is too far away.

    Args:
        schema: With references to `#/$defs/NAME` only.
        definition_of: Returns the definition of a name.
    """
    reach = _Reach()
    found = reach.narrow(schema)
    definitions: dict[str, Any] = {}
    while reach.waiting:
        name = reach.waiting.popleft()
        definitions[name] = reach.narrow(definition_of(name))
    return found, dict(sorted(definitions.items()))


class _Reach:
    """The definitions that are kept so far, and of these the ones that wait for being narrowed."""

    def __init__(self) -> None:
        self.waiting: deque[str] = deque()
        self._kept: set[str] = set()

    def narrow(self, part: Any) -> Any:
        """Return a schema without what there is no room for; what it still refers to is kept."""
        if self._fits(part):
            return part
        found = rewrite(part, self._change)
        self._keep(_names_in(found))
        return found

    def _fits(self, part: Any) -> bool:
        """Whether what a schema refers to is kept, for which it is added as long as there is room."""
        names = _names_in(part) - self._kept
        if names and len(names) + len(self._kept) > MOST_DEFINITIONS:
            return False
        self._keep(names)
        return True

    def _keep(self, names: set[str]) -> None:
        self.waiting.extend(sorted(names - self._kept))
        self._kept |= names

    def _change(self, part: dict[str, Any], _pointer: str) -> dict[str, Any]:
        properties, required = part.get("properties"), part.get("required")
        if isinstance(properties, dict):
            needed = required if isinstance(required, list) else ()
            kept = {name: child for name, child in properties.items() if name in needed or self._fits(child)}
            part = {**part, "properties": kept}
        for word in ("anyOf", "oneOf"):
            if isinstance(part.get(word), list):
                part = {**part, word: [branch for branch in part[word] if self._fits(branch)] or part[word]}
        return part


def _names_in(schema: Any) -> set[str]:
    """Return the names of the definitions that a schema refers to."""
    references = [part["$ref"] for part, _ in schemas_in(schema) if isinstance(part.get("$ref"), str)]
    return {unescape(reference.removeprefix(_PREFIX)) for reference in references}
