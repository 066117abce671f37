"""The backend `llm`: results that a model makes, held to the tool's `returns` schema.

The schema's own backend answers first, as an example. What the model answers stands wherever a value would otherwise be
drawn; what arguments, earlier results and formulas say goes before it, and formulas count with the model's values
(guided.py). An invalid result is asked for once more; if the second is invalid too, the schema's own one is used.
"""

from collections.abc import Container
from datetime import date
from typing import Any

import msgspec
import orjson

from generator.execution.backend import Backend, CompiledTool, SimulatedWorld
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import Prompts
from generator.llm.reading import json_of_answer, kind_of_fault, made_up_fault, texts_within
from generator.llm.schemas import looser_schema
from generator.offline_schemas import validator
from generator.toolbox import Toolbox, ToolSpec
from generator.values import same

USE = "results"
IN_PART = "accepted in part"
"""What became of an answer of which some values are fixed by something else."""
_LONGEST_SHOWN = 4000
_FIXING = frozenset({"x-compute", "x-from", "const"})
_ABOUT_COMPUTED = frozenset({"type", "description", "$ref", "$defs", "definitions"})
"""Keywords that hold for a computed value; the others are about what it is computed from."""
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "pattern"})
"""Keywords that give way to bounds that the arguments of a call give."""


class AskedBackend(Backend, frozen=True):
    """A backend whose answers a model finishes."""

    asker: Asker
    prompts: Prompts
    toolbox: Toolbox

    def open(self, today: date, salt: int = 0) -> SimulatedWorld:
        """Return the world of one conversation."""
        return _AskedWorld(self, today, salt)


def with_model(backend: Backend, asker: Asker, prompts: Prompts, toolbox: Toolbox) -> AskedBackend:
    """Return the same backend, compiled for proposed values, with a model that proposes them."""
    return AskedBackend(
        **{name: getattr(backend, name) for name in Backend.__struct_fields__}, asker=asker, prompts=prompts, toolbox=toolbox
    )


def shown_schema(returns: Any) -> Any:
    """Return the schema of a result as a model is shown it: all that results follow, so without what formulas and calls overrule."""
    if isinstance(returns, list):
        return [shown_schema(part) for part in returns]
    if not isinstance(returns, dict):
        return returns
    kept = _ABOUT_COMPUTED if "x-compute" in returns else frozenset(returns)
    if "x-minimum" in returns or "x-maximum" in returns:
        kept -= _BOUNDS
    return {key: shown_schema(part) for key, part in returns.items() if key in kept}


def leaves_room(returns: Any, arguments: Container[str], name: str = "") -> bool:
    """Whether any value of a result is not fixed by the schema, a formula, or an argument of the same name."""
    if not isinstance(returns, dict) or not _FIXING.isdisjoint(returns) or len(returns.get("enum", "  ")) == 1:
        return False
    properties, items = returns.get("properties"), returns.get("items")
    if isinstance(properties, dict):
        return any(leaves_room(part, arguments, key) for key, part in properties.items())
    if isinstance(items, dict):
        return leaves_room(items, arguments, name)
    return name not in arguments


class _AskedWorld(SimulatedWorld):
    __slots__ = ("_asked",)

    def __init__(self, backend: AskedBackend, today: date, salt: int) -> None:
        super().__init__(backend, today, salt)
        self._asked = backend

    def answer(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a call; asks the model for it."""
        own = super().answer(tool, arguments)
        spec = self._asked.toolbox[tool]
        if not leaves_room(spec.returns, arguments):
            return own
        result = self._finished(spec, arguments, own)
        if self._answered is not None:
            self._answered[-1] = (self._tools[tool], arguments, result)
        return result

    def _finished(self, spec: ToolSpec, arguments: dict[str, Any], own: Any) -> Any:
        asked, schema = self._asked, looser_schema(shown_schema(spec.returns))
        request = _request(asked.prompts, spec, schema, arguments, own, self._day)
        (answer,) = asked.asker.ask(request)
        value, fault = _read(answer, schema)
        if fault:
            (answer,) = asked.asker.ask(_once_more(asked.prompts, request, answer, fault))
            value, fault = _read(answer, schema)
        if fault:
            asked.asker.note(USE, kind_of_fault(fault))
            return own
        return self._with_values(self._tools[spec.name], schema, arguments, own, value)

    def _with_values(self, compiled: CompiledTool, schema: Any, arguments: dict[str, Any], own: Any, value: Any) -> Any:
        """Return the result with the values of the model's that nothing else fixes."""
        asker = self._asked.asker
        result = self.result_of(compiled, arguments, value)
        if same(result, own) or not validator(schema).is_valid(result):
            asker.note(USE, "the same values" if same(value, own) else "nothing of it can stand")
            return own
        asker.note_of(USE, "accepted" if same(result, value) else IN_PART)
        return result


def _request(prompts: Prompts, spec: ToolSpec, schema: Any, arguments: dict[str, Any], own: Any, today: date) -> Request:
    messages = prompts.result.fill(
        tool=spec.name,
        description=spec.tool.description or spec.name,
        arguments=_json(arguments),
        returns=_json(schema),
        example=_json(own),
        today=today.isoformat(),
    )
    return Request(messages=messages, schema=schema, use=USE)


def _once_more(prompts: Prompts, request: Request, answer: ModelAnswer, fault: str) -> Request:
    said = [("assistant", answer.text[:_LONGEST_SHOWN])] if answer.text else []
    messages = (*request.messages, *said, *prompts.again.fill(faults=fault))
    return msgspec.structs.replace(request, messages=tuple(messages), again=True)


def _read(answer: ModelAnswer, schema: Any) -> tuple[Any, str]:
    value, fault = json_of_answer(answer, schema)
    fault = fault or next((found for _, text in texts_within(value) if (found := made_up_fault(text))), "")
    return (None, fault) if fault else (value, "")


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
