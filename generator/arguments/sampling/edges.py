"""Values at the limits of a schema: unusual ones that people could mean, and hostile ones for tests."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from generator.arguments.kinds.records import RECORDS, split_values
from generator.arguments.reading.nodes import NumberNode, StringNode
from generator.arguments.reading.patterns import compile_letters, read_pattern
from generator.arguments.sampling.leaves import (
    ArgumentLocation,
    Hints,
    Test,
    choose_from,
    fit_maker,
    make_text,
    tester,
    text_writers,
    writer,
)
from generator.arguments.sampling.numbers import allows, edge_numbers, make_any_number
from generator.arguments.vocabulary.words import load
from generator.core.seeds import Draw, Maker

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


def one_of(options: Sequence[Maker]) -> Maker:
    """Return a maker that takes one of others."""
    chosen = tuple(options)
    return lambda draw: draw.choice(chosen)(draw)


def make_hostile_text(node: StringNode) -> Maker:
    """Return a maker of texts in all scripts; with a pattern or format, also typical texts of that form."""
    is_valid = tester(node.schema)
    edges = hostile_texts(node, is_valid)
    options = [choose_from(edges)] if edges else []
    formed = (
        None if node.patterns or (node.longest or _ROOMY) < _ROOMY else _writers_of_formats().get(node.format or "")
    )
    fitted = (fit_maker(make, is_valid, _MANY) for make in (*text_writers(node), *([formed] if formed else [])))
    options += [make for make in fitted if make is not None][-1:]
    if node.patterns or node.format is not None:
        return one_of([*options, make_text(node, ArgumentLocation(""), Hints(seed=0))])
    shortest, longest = node.shortest, node.shortest + _LONGEST
    longest = longest if node.longest is None else min(node.longest, longest)
    letters = [choose_from(tuple(page)) for page in _pages()]
    makers = [letters[0], letters[0], one_of(letters), one_of(letters), *letters[1:]]
    if node.longest is None:
        makers += [choose_from(tuple(load("edges")["pieces"]))] * 2

    def written(draw: Draw) -> str:
        letter = draw.choice(makers)
        return "".join([letter(draw) for _ in range(draw.between(shortest, longest))])

    return one_of([*options, written, written, written, written])


_ROOMY = 60
_LONGEST = 40
_MANY = 0.5


def make_hostile_number(node: NumberNode) -> Maker:
    """Return a maker of numbers: at the bounds, small ones, and any others."""
    edges, others = edge_numbers(node), make_any_number(node)
    usual = fit_maker(others, lambda value: allows(node, value), 0.0) or others
    return one_of([choose_from(edges), usual]) if edges else usual


def hostile_anything(draw: Draw) -> Any:
    """Return any JSON value of small depth."""
    kind = draw.below(4)
    if kind < 2:
        return _scalar(draw)
    items = [_scalar(draw) for _ in range(draw.below(5))]
    return items if kind == 2 else {draw.choice(load("edges")["names"]): one for one in items}


def _scalar(draw: Draw) -> Any:
    return draw.choice(_scalars())(draw)


@cache
def _scalars() -> tuple[Maker, ...]:
    text, number = make_hostile_text(StringNode({"type": "string"})), make_hostile_number(NumberNode({}, True))
    return (choose_from((None, False, True)), number, text)


@cache
def _pages() -> tuple[str, ...]:
    return tuple(
        "".join(
            chr(code)
            for first, last in zip(page[::2], page[1::2], strict=True)
            for code in range(ord(first), ord(last) + 1)
        )
        for page in load("edges")["letters"]
    )


@cache
def _writers_of_formats() -> dict[str, Maker]:
    found = {
        name: compile_letters(read_pattern(pattern), _LONGEST)
        for name, pattern in load("edges")["format_patterns"].items()
    }
    found |= {"idn-email": found["email"], "iri": found["uri"], "iri-reference": found["uri-reference"]}
    return {name: writer(write) for name, write in found.items()}
