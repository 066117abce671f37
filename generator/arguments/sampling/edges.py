"""Values at the limits of a schema: unusual ones that people could mean, and hostile ones for tests."""

from generator.arguments.kinds.records import RECORDS, split_values
from generator.arguments.reading.nodes import StringNode
from generator.arguments.sampling.leaves import Test
from generator.arguments.vocabulary.data_files import load

_LONG = "This line goes on for as long as it may, and then a little further, "
_USUAL_LONGEST = 300


def hostile_texts(node: StringNode, is_valid: Test) -> tuple[str, ...]:
    """Return boundary strings for parsers: empty, shortest, longest, other scripts, marks that need escaping."""
    longest = min(_USUAL_LONGEST if node.longest is None else node.longest, 2000)
    shortest = node.shortest
    long_text = (_LONG * (longest // len(_LONG) + 1))[:longest]
    found = [
        *_of_format(node),
        *load("edges")["hostile_texts"],
        long_text,
        "é" * longest,
        "x" * shortest,
        "ñ" * shortest,
    ]
    if node.longest is None or node.longest > shortest:
        found.append("y" * (shortest + 1))
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))


def edge_texts(node: StringNode, kind: str | None, is_valid: Test) -> tuple[str, ...]:
    """Return unusual strings that the node allows: the far ends of its format, names with accents and apostrophes."""
    found = (*_of_format(node), *(split_values(RECORDS[kind].edges) if kind in RECORDS else ()))
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))


def _of_format(node: StringNode) -> list[str]:
    found: list[str] = load("edges")["formats"].get(node.format, [])
    return found
