"""Read spec files into a toolbox; every fault is told with file, line and path."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from generator.conversation import Tool
from generator.documents import Document, Place, check, dotted, nearest, read_document, read_lines
from generator.errors import SchemaError, SpecError
from generator.pointers import schema_at, variants
from generator.specs.check import check_legal, check_links, check_spec
from generator.specs.models import PhrasesModel, ToolModel
from generator.toolbox import Answer, Link, Phrases, Pick, Relation, SlotFrames, Toolbox, ToolSpec

_RELATION = re.compile(r"(\S+) (<|!=) (\S+)")


def load_toolbox(paths: Iterable[Path]) -> Toolbox:
    """All tools of the files, in order.

    Raises:
        SpecError: with `file:line: path: what, expected what` for the first file that has faults.
    """
    toolbox: Toolbox = {}
    for path in paths:
        for spec in load_file(path):
            if spec.name in toolbox:
                raise SpecError(f"{spec.where}: the tool {spec.name!r} is also in {toolbox[spec.name].where}")
            toolbox[spec.name] = spec
    for spec in toolbox.values():
        check_links(spec, toolbox)
    return toolbox


def load_file(path: Path) -> list[ToolSpec]:
    """The tools of one file, links not yet looked up."""
    documents = read_lines(path, SpecError) if path.suffix.lower() == ".jsonl" else [read_document(path, SpecError)]
    specs = [
        _read_tool(document, value, place, path.stem) for document in documents for value, place in _tools_in(document)
    ]
    if not specs:
        raise SpecError(f"{path}:1: there is no tool in this file")
    return specs


def _tools_in(document: Document) -> Iterator[tuple[Any, Place]]:
    value = document.value
    if isinstance(value, dict) and "tools" in value:
        unknown = [key for key in value if key not in {"tools", "$schema"}]
        if unknown:
            raise SpecError(f"{document.where((unknown[0],))}: unknown key {unknown[0]!r} beside 'tools'")
        if not isinstance(value["tools"], list):
            raise SpecError(f"{document.where(('tools',))}: tools: a list is expected")
        yield from ((tool, ("tools", index)) for index, tool in enumerate(value["tools"]))
    elif isinstance(value, list):
        yield from ((tool, (index,)) for index, tool in enumerate(value))
    else:
        yield value, ()


def _read_tool(document: Document, value: Any, place: Place, domain: str) -> ToolSpec:
    if isinstance(value, dict) and "function" not in value and "name" in value:
        known = {"name", "description", "parameters", "strict"}
        value = {key: part for key, part in value.items() if key not in known} | {
            "function": {key: part for key, part in value.items() if key in known}
        }
    model = check(ToolModel, document, value, place, SpecError)
    function = model.function
    parameters = function.parameters or {}
    for part, schema in (("parameters", parameters), ("returns", model.returns or {})):
        try:
            check_legal(schema)
        except SchemaError as fault:
            raise SchemaError(f"{document.where(place)}: {function.name}: {part}: {fault}") from None
    spec = ToolSpec(
        tool=Tool(
            name=function.name,
            description=function.description,
            parameters=function.parameters,
            strict=function.strict,
        ),
        domain=domain,
        where=document.where(place),
        returns=model.returns,
        links=tuple(_links(model, document, place)),
        phrases=_phrases(model.phrases, parameters, model.returns or {}, lambda *at: _fault(document, place, *at)),
        examples={slot: tuple(values) for slot, values in model.examples.items()},
        kinds=dict(model.kinds),
        relations=tuple(_relations(model, document, place)),
    )
    for at, message in check_spec(spec):
        raise _fault(document, place, at, message)
    return spec


def _fault(document: Document, place: Place, at: Place, message: str) -> SpecError:
    return SpecError(f"{document.where(place + at)}: {dotted(place + at)}: {message}")


def _links(model: ToolModel, document: Document, place: Place) -> Iterator[Link]:
    for argument, sources in model.links.items():
        for source in [sources] if isinstance(sources, str) else sources:
            tool, hash_sign, result = source.partition("#/")
            if not hash_sign or not tool or result.count("*") > 1:
                message = f"{source!r} is not of the form tool#/path/*/field (at most one *)"
                raise _fault(document, place, ("links", argument), message)
            yield Link(argument, tool, result)


def _relations(model: ToolModel, document: Document, place: Place) -> Iterator[Relation]:
    for index, text in enumerate(model.relations):
        match = _RELATION.fullmatch(text)
        if match is None:
            raise _fault(document, place, ("relations", index), f"{text!r} is not 'left < right' or 'left != right'")
        yield Relation(match[1], match[2], match[3])


def _phrases(model: PhrasesModel, parameters: dict[str, Any], returns: dict[str, Any], fault: Any) -> Phrases:
    slots: dict[str, SlotFrames] = {}
    for slot, frames in model.slots.items():
        if isinstance(frames, list):
            slots[slot] = SlotFrames(frames=tuple(frames))
        else:
            others = frames.get("*", [])
            by_value = {key: texts for key, texts in frames.items() if key != "*"}
            clauses = _by_value(by_value, parameters, slot, ("phrases", "slots", slot), fault)
            slots[slot] = SlotFrames(frames=tuple(others), clauses=clauses)
    return Phrases(
        request=tuple(model.request),
        question=tuple(model.question),
        want=tuple(model.want),
        again=tuple(model.again),
        several=tuple(model.several),
        entry=tuple(model.entry),
        vary=tuple(model.vary),
        follow_up=tuple(model.follow_up),
        slots=slots,
        synonyms={
            slot: _by_value(
                forms,
                parameters if schema_at(parameters, slot) else returns,
                slot,
                ("phrases", "synonyms", slot),
                fault,
            )
            for slot, forms in model.synonyms.items()
        },
        pick={slot: tuple(Pick(p.say, p.by) for p in picks) for slot, picks in model.pick.items()},
        answer=tuple(
            Answer(answer) if isinstance(answer, str) else Answer(answer.say, tuple(answer.when.items()))
            for answer in model.answer
        ),
        each={slot: tuple(texts) for slot, texts in model.each.items()},
        ask={slot: tuple(texts) for slot, texts in model.ask.items()},
    )


def _by_value(
    forms: dict[Any, list[str]], schema: dict[str, Any], slot: str, at: Place, fault: Any
) -> tuple[tuple[Any, tuple[str, ...]], ...]:
    """(value, texts) pairs; keys of JSON files are text, so they are matched with the values of the schema."""
    values: list[Any] = []
    for branch in variants(schema, schema_at(schema, slot) or {}):
        kinds = branch.get("type", ())
        kinds = [kinds] if isinstance(kinds, str) else kinds
        values += [*branch.get("enum", ()), *([branch["const"]] if "const" in branch else [])]
        values += [True, False] if "boolean" in kinds else []
        values += [None] if "null" in kinds else []
    by_text = {_as_text(value): value for value in values}
    pairs = []
    for key, texts in forms.items():
        if values and _as_text(key) not in by_text:
            raise fault(at, f"{key!r} is not a value of {slot}{nearest(_as_text(key), by_text)}")
        pairs.append((by_text.get(_as_text(key), key), tuple(texts)))
    said = [text for _, texts in pairs for text in {text.casefold() for text in texts}]
    twice = sorted(text for text, times in Counter(said).items() if times > 1)
    if twice:
        raise fault(at, f"{twice[0]!r} stands for two values")
    return tuple(pairs)


def _as_text(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
