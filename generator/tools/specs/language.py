"""The language of our own spec files, as docs/tool-specs.md describes it: one tool from what a file says of it."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import Tool
from generator.core.declared import read
from generator.core.documents import Document, Place, nearest
from generator.core.entities import Effect, WorldDeclarations
from generator.core.errors import SchemaError, SpecError
from generator.core.pointers import schema_at, variants
from generator.core.text_grammars import expand_values
from generator.core.toolbox import Groups, Link, Phrases, Relation, ToolOrigin, ToolSpec
from generator.tools.specs.check import check_spec
from generator.tools.specs.effects import read_effect
from generator.tools.specs.found import FoundTool
from generator.tools.specs.legality import OnIllegal, make_legal
from generator.tools.specs.models import WrittenTool

_WHOLE = re.compile(r"-?\d{1,15}")
_RELATION = re.compile(r"(\S+) (<|!=) (\S+)")


def read_written(found: FoundTool, on_illegal: OnIllegal, *, is_checked: bool = True) -> ToolSpec:
    """Return the tool of a file of our own language, with all that it says.

    Args:
        found: Where it stands.
        on_illegal: What to do with schemas that are not legal.
        is_checked: Whether what stands beside the function is held against it.

    Raises:
        SpecError: with `file:line: path: what, expected what` for everything that is wrong with it.
    """
    assert found.written is not None
    document, place = found.written
    value: Any = document.value
    for step in place:
        value = value[step]
    model = read(WrittenTool, document, _as_tool(value), place, SpecError)
    function = model.function
    parameters, of_parameters = _legal(model, "parameters", function.parameters, on_illegal, document, place)
    returns, of_returns = _legal(model, "returns", model.returns, on_illegal, document, place)
    spec = ToolSpec(
        tool=Tool(
            name=function.name,
            description=function.description,
            parameters=parameters,
            strict=function.strict,
        ),
        domain=found.domain,
        where=found.where,
        returns=returns,
        links=tuple(_links(model, document, place)),
        phrases=_with_values(model.phrases, parameters or {}, returns or {}, lambda *at: _fault(document, place, *at)),
        examples=_examples(model, document, place),
        kinds=model.kinds,
        patterns=model.patterns,
        worked=model.worked,
        example_calls=model.example_calls,
        relations=tuple(_relations(model, document, place)),
        groups=Groups(together=model.together, one_of=model.one_of),
        effect=_effect(model, found.declared, parameters or {}, returns, document, place),
        declared=found.declared,
        context=model.context,
        say=model.say,
        origin=_origin(model, found.origin, (*of_parameters, *of_returns)),
        written={
            key: part for key, part in _as_tool(value).items() if key not in ("type", "function", "returns", "origin")
        },
    )
    for at, message in check_spec(spec) if is_checked else ():
        raise _fault(document, place, at, message)
    return spec


def has_only_function(written: tuple[Document, Place]) -> bool:
    """Whether a file says nothing of a tool but the function, as others' files do."""
    document, place = written
    value: Any = document.value
    for step in place:
        value = value[step]
    return isinstance(value, dict) and _as_tool(value).keys() <= {"type", "function"}


def _examples(model: WrittenTool, document: Document, place: Place) -> dict[str, tuple[Any, ...]]:
    """Return values worth using: those that are written out, and those that grammars of texts stand for."""
    found = dict(model.examples)
    for slot, lines in model.texts.items():
        try:
            made = expand_values(lines)
        except ValueError as fault:
            raise _fault(document, place, ("texts", slot), str(fault)) from None
        found[slot] = tuple({repr(value): value for value in (*found.get(slot, ()), *made)}.values())
    return found


def _as_tool(value: Any) -> Any:
    """Return a bare function as a tool."""
    if isinstance(value, dict) and "function" not in value and "name" in value:
        known = {"name", "description", "parameters", "strict"}
        return {key: part for key, part in value.items() if key not in known} | {
            "function": {key: part for key, part in value.items() if key in known}
        }
    return value


def _legal(
    model: WrittenTool,
    part: str,
    schema: dict[str, Any] | None,
    on_illegal: OnIllegal,
    document: Document,
    place: Place,
) -> tuple[dict[str, Any] | None, list[str]]:
    """Return a schema as it is used, and its repairs."""
    if schema is None:
        return None, []
    try:
        legal, repairs = make_legal(schema, on_illegal)
    except SchemaError as fault:
        raise SchemaError(f"{document.where(place)}: {model.function.name}: {part}: {fault}") from None
    return legal, [f"{part}: {repair}" for repair in repairs]


def _origin(model: WrittenTool, found: ToolOrigin, repairs: tuple[str, ...]) -> ToolOrigin:
    """Return where the tool is from at first, if its file says so."""
    if model.origin is None:
        return msgspec.structs.replace(found, repairs=repairs)
    return msgspec.structs.replace(model.origin, repairs=(*model.origin.repairs, *repairs))


def _fault(document: Document, place: Place, at: Place, message: str) -> SpecError:
    return SpecError(f"{document.at(place + at)}: {message}")


def _links(model: WrittenTool, document: Document, place: Place) -> Iterator[Link]:
    for argument, sources in model.links.items():
        for source in sources:
            tool, hash_sign, result = source.partition("#/")
            if not hash_sign or not tool or result.count("*") > 1:
                message = f"{source!r} is not of the form tool#/path/*/field (at most one *)"
                raise _fault(document, place, ("links", argument), message)
            yield Link(argument, tool, result)


def _relations(model: WrittenTool, document: Document, place: Place) -> Iterator[Relation]:
    for index, text in enumerate(model.relations):
        match = _RELATION.fullmatch(text)
        if match is None:
            raise _fault(document, place, ("relations", index), f"{text!r} is not 'left < right' or 'left != right'")
        yield Relation(match[1], match[2], match[3])


def _effect(
    model: WrittenTool,
    declared: WorldDeclarations,
    parameters: dict[str, Any],
    returns: dict[str, Any] | None,
    document: Document,
    place: Place,
) -> Effect | None:
    if model.effect is None:
        return None
    at = (*place, "effect")
    return read_effect(
        model.effect, declared, parameters, returns, lambda below, text: _fault(document, at, below, text)
    )


def _with_values(phrases: Phrases, parameters: dict[str, Any], returns: dict[str, Any], fault: Any) -> Phrases:
    """Return phrases whose words for values belong to values of the schemas."""
    slots = {
        slot: msgspec.structs.replace(
            frames, clauses=_by_value(frames.clauses, parameters, slot, ("phrases", "slots", slot), fault)
        )
        for slot, frames in phrases.slots.items()
    }
    synonyms = {
        slot: _by_value(
            forms, parameters if schema_at(parameters, slot) else returns, slot, ("phrases", "synonyms", slot), fault
        )
        for slot, forms in phrases.synonyms.items()
    }
    return msgspec.structs.replace(phrases, slots=slots, synonyms=synonyms)


def _by_value(
    forms: tuple[tuple[Any, tuple[str, ...]], ...], schema: dict[str, Any], slot: str, at: Place, fault: Any
) -> tuple[tuple[Any, tuple[str, ...]], ...]:
    """Return (value, texts) pairs; keys of JSON files are text, so they are matched with the values of the schema."""
    values: list[Any] = []
    is_open = is_number = False
    for branch in variants(schema, schema_at(schema, slot) or {}):
        kinds = branch.get("type", ())
        kinds = {kinds} if isinstance(kinds, str) else {*kinds}
        listed = [*branch.get("enum", ()), *([branch["const"]] if "const" in branch else [])]
        is_open |= not listed and not kinds <= {"boolean", "null"}
        values += listed
        values += [True, False] if "boolean" in kinds else []
        values += [None] if "null" in kinds else []
        is_number |= bool({"integer", "number"} & kinds) and not listed
    by_text = {_as_text(value): value for value in values}
    pairs = []
    for key, texts in forms:
        if values and not is_open and _as_text(key) not in by_text:
            raise fault(at, f"{key!r} is not a value of {slot}{nearest(_as_text(key), by_text)}")
        number = int(key) if is_number and _WHOLE.fullmatch(str(key)) else key
        pairs.append((by_text.get(_as_text(key), number), texts))
    said = [text for _, texts in pairs for text in {text.casefold() for text in texts}]
    twice = sorted(text for text, times in Counter(said).items() if times > 1)
    if twice:
        raise fault(at, f"{twice[0]!r} stands for two values")
    return tuple(pairs)


def _as_text(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
