"""The backend `llm`: results that a model makes, held to the tool's `returns` schema.

The schema's own backend answers first. What it takes from the arguments, from earlier results or from other fields
stays; the model gives the rest. An invalid result is asked for once more; if the second is invalid too, the schema's
own one is used.
"""

from datetime import date
from typing import Any

import msgspec
import orjson

from generator.execution.backend import Backend, World
from generator.execution.returns import NOTHING_SAID
from generator.llm.asking import Answer, Asker, Request
from generator.llm.prompts import Prompts
from generator.llm.reading import kind_of_fault, read_json
from generator.llm.schemas import loosened
from generator.offline_schemas import validator
from generator.toolbox import Toolbox, ToolSpec

USE = "results"
_PINNED = frozenset({"x-from", "x-compute", "x-minimum", "x-maximum", "const", "$ref", "anyOf", "oneOf", "allOf"})
"""Keywords of values that other values depend on, or that are not worth looking through."""
_MARKED = frozenset({"enum", "format", "pattern", "x-kind", "x-when"})
_LONGEST_SHOWN = 4000


class AskedBackend(Backend, frozen=True):
    """A backend whose answers a model finishes."""

    asker: Asker
    prompts: Prompts
    toolbox: Toolbox

    def open(self, today: date, salt: int = 0) -> World:
        """The world of one conversation."""
        return _AskedWorld(self, today, salt)


def with_model(backend: Backend, asker: Asker, prompts: Prompts, toolbox: Toolbox) -> AskedBackend:
    """The same backend, with a model behind it."""
    return AskedBackend(
        **{name: getattr(backend, name) for name in Backend.__struct_fields__}, asker=asker, prompts=prompts, toolbox=toolbox
    )


class _AskedWorld(World):
    __slots__ = ("_asked",)

    def __init__(self, backend: AskedBackend, today: date, salt: int) -> None:
        super().__init__(backend, today, salt)
        self._asked = backend

    def answer(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The result of a call; raises Wanted while the model has not given it."""
        own = super().answer(tool, arguments)
        compiled = self._tools[tool]
        facts = self._known_of(compiled, arguments) if compiled.linked else {}
        result = _finished(self._asked, self._asked.toolbox[tool], arguments, own, facts, self._day)
        if self._answered is not None:
            self._answered[-1] = (compiled, arguments, result)
        return result


def _finished(
    backend: AskedBackend, spec: ToolSpec, arguments: dict[str, Any], own: Any, facts: dict[str, Any], today: date
) -> Any:
    if spec.returns is None:  # "status: success" is all that is known of it
        return own
    asker = backend.asker
    request = _request(backend, spec, arguments, own, today)
    (answer,) = asker.ask(request)
    value, fault = _read(answer, spec, arguments, own, facts)
    if fault:
        (answer,) = asker.ask(_once_more(backend, request, answer, fault))
        value, fault = _read(answer, spec, arguments, own, facts)
    asker.note(USE, kind_of_fault(fault))
    return own if fault else value


def _request(backend: AskedBackend, spec: ToolSpec, arguments: dict[str, Any], own: Any, today: date) -> Request:
    returns = spec.returns or NOTHING_SAID
    messages = backend.prompts.result.fill(
        tool=spec.name,
        description=spec.tool.description or spec.name,
        arguments=_json(arguments),
        returns=_json(loosened(returns)),
        example=_json(own),
        today=today.isoformat(),
    )
    return Request(messages=messages, schema=loosened(returns), use=USE)


def _once_more(backend: AskedBackend, request: Request, answer: Answer, fault: str) -> Request:
    said = [("assistant", answer.text[:_LONGEST_SHOWN])] if answer.text else []
    messages = (*request.messages, *said, *backend.prompts.again.fill(faults=fault))
    return msgspec.structs.replace(request, messages=tuple(messages), again=True)


def _read(
    answer: Answer, spec: ToolSpec, arguments: dict[str, Any], own: Any, facts: dict[str, Any]
) -> tuple[Any, str]:
    schema = spec.returns or NOTHING_SAID
    value, fault = read_json(answer, schema)
    if fault:
        return None, fault
    known = {**facts, **arguments} if isinstance(own, dict) else {}
    merged = _merged(schema, value, own, known)
    if not validator(schema).is_valid(merged):
        return None, "does not go with the call"
    return merged, ""


def _merged(schema: Any, new: Any, own: Any, known: dict[str, Any], text_only: bool = False) -> Any:
    """The model's value, with our own wherever something depends on it (`text_only`: on all but free text)."""
    if not isinstance(schema, dict) or type(new) is not type(own) or not _PINNED.isdisjoint(schema):
        return own
    if isinstance(own, dict):
        return _merged_object(schema, new, own, known, text_only)
    if isinstance(own, list):
        return _merged_list(schema, new, own, text_only)
    return own if text_only and not _is_plain_text(schema, own) else new


def _merged_list(schema: dict[str, Any], new: list[Any], own: list[Any], text_only: bool) -> list[Any]:
    items = schema.get("items")
    if not own:
        return own
    if text_only or "x-sort" in schema:  # as many as there were, in their order
        merged = [_merged(items, part, mine, {}, True) for part, mine in zip(new, own, strict=False)]
        return [*merged, *own[len(merged) :]]
    return [_merged(items, part, own[at % len(own)], {}) for at, part in enumerate(new)]


def _merged_object(
    schema: dict[str, Any], new: dict[str, Any], own: dict[str, Any], known: dict[str, Any], text_only: bool
) -> dict[str, Any]:
    properties = schema.get("properties", {})
    text_only = text_only or any(isinstance(part, dict) and "x-compute" in part for part in properties.values())
    merged = {}
    for key in own if text_only else {**own, **new}:
        if key in own and key in new and key not in known:
            merged[key] = _merged(properties.get(key), new[key], own[key], {}, text_only)
        elif key in own and (key in new or text_only or key in known or key in schema.get("required", ())):
            merged[key] = own[key]
        elif key not in own:
            merged[key] = new[key]
    return merged


def _is_plain_text(schema: dict[str, Any], own: Any) -> bool:
    return isinstance(own, str) and _MARKED.isdisjoint(schema)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
