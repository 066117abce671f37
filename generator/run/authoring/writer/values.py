"""Values of arguments that are those of a field: what a call sets or looks for is what things of that sort have."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

from generator.arguments.sampling.example_calls import example_calls_of
from generator.core.offline_schemas import validator
from generator.core.overlays import Piece, Pieces
from generator.core.pointers import schema_at
from generator.core.toolbox import ToolSpec, fields_written
from generator.world.expressions import FAULTS, ReadableNames, compile_expression

VALUES = ("examples", "kinds", "patterns", "texts")
"""The pieces that say what values an argument has."""
_BOUND = re.compile(r"(\w+) *[<>]=? *args\.(\w+)")
_STEPS = 8


def values_of_fields(spec: ToolSpec, said: Mapping[Piece, Any]) -> Pieces:
    """Return the values of arguments about which nothing is said, as the fields that they set or are compared with have them.

    Args:
        spec: The tool with its effect and entities.
        said: What the writer says of it.
    """
    found: Pieces = {}
    shown = _in_examples(spec)
    for name, field, at in _fields_of_arguments(spec):
        schema = spec.properties.get(name)
        told = any((key, name) in said for key in VALUES) or name in _written_whole(spec)
        if told or not isinstance(schema, dict) or "enum" in schema or schema.get("type") == "boolean":
            continue
        for piece, value in [(("examples", name), shown[at])] if shown.get(at) else _values(name, field):
            fits = validator({key: part for key, part in schema.items() if key != "description"}).is_valid
            if piece[0] != "examples":
                found[piece] = value
            elif kept := [one for one in value if fits(one)]:
                found[piece] = kept
    for name, words in words_of_texts(spec).items():
        if words and not any((key, name) in said for key in VALUES) and ("examples", name) not in found:
            found["examples", name] = words
    return found


def words_of_texts(spec: ToolSpec) -> dict[str, list[str]]:
    """Return, of each argument whose words are looked for in texts, words that some whole example of the entity has there."""
    effect, shown = spec.effect, _in_examples(spec)
    texts = {name: shown.get(field, []) for name, field in effect.words.items()} if effect is not None else {}
    return {
        name: list(dict.fromkeys(word for text in values for word in str(text).split() if _is_sought(word)))
        for name, values in texts.items()
    }


def texts_looked_through(spec: ToolSpec) -> dict[str, list[Any]]:
    """Return, of each argument whose words are looked for in texts, those texts in the whole examples of the entity."""
    effect, shown = spec.effect, _in_examples(spec)
    fields = {name: _LOOKED_THROUGH.findall(effect.by.get(name, "")) for name in effect.words} if effect else {}
    return {name: [text for field in own for text in shown.get(field, [])] for name, own in fields.items()}


_LOOKED_THROUGH = re.compile(r"contains\(str\((\w+)\)")


def _is_sought(word: str) -> bool:
    """Whether people would look for a word."""
    return len(word) > _SHORT_WORD and word.isalpha()


_SHORT_WORD = 4


def _written_whole(spec: ToolSpec) -> frozenset[str]:
    """Return the arguments whose values come from whole examples of the entity, or from example calls, so that those of a field would part them."""
    calls = [{*arguments} for arguments, _ in example_calls_of(spec)]
    return frozenset(set.intersection(*calls)) if calls else frozenset()


def values_known(spec: ToolSpec) -> frozenset[str]:
    """Return the arguments whose values the fields of the entity give, where nothing else is said of them."""
    return frozenset(piece[1] for piece in values_of_fields(spec, {})) | _written_whole(spec)


def _in_examples(spec: ToolSpec) -> dict[str, list[Any]]:
    """Return the values that fields have in the whole examples of the entity, those that follow from others included."""
    effect, declared = spec.effect, spec.declared
    entity = declared.entities.get(effect.entity) if effect is not None else None
    found: dict[str, list[Any]] = {}
    formulas = (
        {} if entity is None else {key: part["x-compute"] for key, part in entity.fields.items() if "x-compute" in part}
    )
    computed = {key: compile_expression(text, declared.tables, declared.entities)[0] for key, text in formulas.items()}
    for one in () if entity is None else entity.examples:
        whole = ReadableNames(one)
        for field, formula in computed.items():
            with suppress(*FAULTS):  # it reads what is not of the example
                whole[field] = formula(whole)
        for field, value in whole.items():
            if value not in found.setdefault(field, []):
                found[field].append(value)
    return found


def _fields_of_arguments(spec: ToolSpec) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield arguments with the schema and name of the field that they set, must equal, or bound."""
    effect = spec.effect
    entity = spec.declared.entities.get(effect.entity) if effect is not None else None
    if effect is None or entity is None:
        return
    told = [(value, field) for field, value in fields_written(spec).items() if isinstance(value, str)]
    pairs = [(value.removeprefix("args."), field) for value, field in told]
    pairs += [(name, field) for name, field in effect.by.items() if field in entity.fields]
    bounds = [match for text in effect.by.values() if (match := _BOUND.fullmatch(text))]
    keys = {other.key for other in spec.declared.entities.values()}
    for name, field in [*pairs, *((match[2], match[1]) for match in bounds)]:
        schema = entity.fields.get(field, {})
        if name not in effect.refers and "of" not in schema and (field not in keys or "x-compute" in schema):
            yield name, schema, field


def _values(name: str, field: dict[str, Any]) -> Iterator[tuple[Piece, Any]]:
    """Yield the pieces by which an argument has the values of a field."""
    if field.get("enum") or field.get("examples"):
        yield ("examples", name), list(field.get("enum") or field["examples"])
    elif "x-kind" in field:
        yield ("kinds", name), field["x-kind"]
    elif "pattern" in field:
        yield ("patterns", name), field["pattern"]
    elif field.get("type") in ("integer", "number") and {"minimum", "maximum"} <= field.keys():
        low, high = field["minimum"], field["maximum"]
        steps = [low + (high - low) * at / _STEPS for at in range(_STEPS + 1)]
        rounded = [round(step) if high - low >= _STEPS or field["type"] == "integer" else step for step in steps]
        yield ("examples", name), list(dict.fromkeys(rounded))


def as_lists(spec: ToolSpec, pieces: Pieces) -> Pieces:
    """Return the pieces with examples of a list's elements as lists: each alone, and some with the next one."""
    found = dict(pieces)
    for piece, values in pieces.items():
        if piece[0] != "examples" or len(piece) != _NAMED or not isinstance(values, list) or not values:
            continue
        schema = spec.properties.get(piece[1])
        items = schema.get("items") if isinstance(schema, dict) and schema.get("type") == "array" else None
        if isinstance(items, dict) and items.get("type") in _PLAIN and not any(isinstance(one, list) for one in values):
            pairs = [[one, other] for one, other in pairwise(values)]
            found[piece] = [*([one] for one in values), *pairs[: len(values) // 2]]
    return found


def one_question_each(pieces: Pieces) -> Pieces:
    """Return the pieces with the questions of the assistant as they are asked, without what stands behind: "Which one? I need its ID."."""
    found = dict(pieces)
    for piece, texts in pieces.items():
        if piece[:2] == ("phrases", "ask") and isinstance(texts, list):
            found[piece] = [
                text[: text.rindex("?") + 1] if isinstance(text, str) and "?" in text else text for text in texts
            ]
    return found


def with_commas(pieces: Pieces) -> Pieces:
    """Return the pieces with a comma before frames that say how many are wanted: "list the orders, at most five"."""
    found = dict(pieces)
    for piece, frames in pieces.items():
        if piece[:2] == ("phrases", "slots") and isinstance(frames, list):
            found[piece] = [f", {text}" if isinstance(text, str) and _AT_MOST.match(text) else text for text in frames]
    return found


def without_commas(pieces: Pieces) -> Pieces:
    """Return the pieces with clauses that begin with a comma without it: a clause stands behind a space."""
    found = dict(pieces)
    for piece, clauses in pieces.items():
        if piece[:2] == ("phrases", "slots") and isinstance(clauses, dict):
            found[piece] = {value: texts if value == "*" else _bare(texts) for value, texts in clauses.items()}
    return found


def _bare(texts: Any) -> Any:
    listed = texts if isinstance(texts, list) else [texts]
    return [text.removeprefix(",").strip() if isinstance(text, str) else text for text in listed]


def one_by_one(returns: Any, pieces: Pieces) -> Pieces:
    """Return the pieces with brackets around what is said of an element beside its name, so that a list of them can be told apart."""
    found = dict(pieces)
    returns = pieces.get(("returns",), returns)
    for piece, lines in pieces.items():
        if piece[:2] == ("phrases", "each") and len(piece) > _NAMED and isinstance(lines, list):
            element = schema_at(returns, f"{piece[2]}/*")
            found[piece] = [_in_brackets(line, element) if isinstance(line, str) else line for line in lines]
    return found


def _in_brackets(line: str, element: Any) -> str:
    if begun := _BRACKETS_BEGUN.fullmatch(line):
        return f"{begun[1]}, {begun[2]})"
    named = _NAME_FIRST.fullmatch(line)
    leaf = schema_at(element, named[1]) if named else None
    if named is None or not isinstance(leaf, dict) or leaf.get("type") != "string":
        return line
    return f"{line[: named.start(2)]} ({named[2].removeprefix(', ')})"


_BRACKETS_BEGUN = re.compile(r"(#?\{[^{}]+\} \([^()]*)\), ([^()]*\{[^()]*)")
_NAME_FIRST = re.compile(r"#?\{([^{}:]+)(?::\w+)?\}(, [^()]*\{[^()]*)")


def worked_as_calls(spec: ToolSpec, pieces: Pieces) -> Pieces:
    """Return the pieces with what was worked out by hand as example calls, where no formula makes the results."""
    worked, returns = pieces.get(("worked",)), pieces.get(("returns",), spec.returns)
    if not isinstance(worked, list) or "x-compute" in str(returns):
        return pieces
    known = pieces.get(("example_calls",))
    rest = {piece: value for piece, value in pieces.items() if piece != ("worked",)}
    return {**rest, ("example_calls",): [*(known if isinstance(known, list) else []), *worked]}


_AT_MOST = re.compile(r"(?:at most|no more than|not more than|up to) \{")
_NAMED = 2
_PLAIN = ("string", "integer", "number")
