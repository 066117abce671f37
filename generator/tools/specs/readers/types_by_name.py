"""Types of the arguments of Python functions of which only the name tells something."""

from typing import Any

from generator.arguments.kinds.names import kind_of_name, words_in_name
from generator.arguments.kinds.records import RECORDS, split_values
from generator.core.yaml_values import own_data

_WORDS: dict[str, frozenset[str]] = {
    kind: frozenset(words.split(", ")) for kind, words in own_data(__file__, "types_by_name.yaml").items()
}
"""JSON Schema type -> words of names that are no kind of value."""


def with_types(parameters: dict[str, Any], untyped: list[str]) -> tuple[dict[str, Any], str]:
    """Return the parameters with the types that names tell, and why the function cannot be used ("" if it can).

    An argument of which nothing is known is left out where that is possible.
    """
    properties = dict(parameters.get("properties", {}))
    required = parameters.get("required", ())
    unknown = []
    for name in untyped:
        kind = _type_of_name(name) if properties[name].get("type") != "array" else None
        if kind is not None:
            properties[name] = {"type": kind, **properties[name]}
        elif name in required:
            unknown.append(name)
        else:
            del properties[name]
    told = ", ".join(repr(name) for name in unknown)
    why = f"the type of {told} is not known: no type hint, default, docstring or usual name tells it" if told else ""
    return {**parameters, "properties": properties}, why


def _type_of_name(name: str) -> str | None:
    last = words_in_name(name)[-1:]
    listed = next((kind for kind, words in _WORDS.items() if last and last[0] in words), None)
    if listed is not None:
        return listed
    number_kind = kind_of_name(name, (), True)
    kind = number_kind or kind_of_name(name, (), False)
    if kind is None or not last or (last[0].endswith("s") and not _is_usual(last[0], kind)):  # several: a list perhaps
        return None
    if number_kind is None:
        return "string"
    number = RECORDS[number_kind].number
    is_whole = number is None or not (number.step or any(isinstance(value, float) for value in number.usual))
    return "integer" if is_whole else "number"


def _is_usual(word: str, kind: str) -> bool:
    """Whether names of a kind end with the word as it stands (`days`, `address`), not only with its singular."""
    return any(name.split()[-1] == word for name in split_values(RECORDS[kind].names))
