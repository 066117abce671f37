"""The backend `llm`: results that a model makes, held to the tool's `returns` schema.

The schema's own backend answers first, and notes which values nothing decides but chance. Only where there are such, the
model is asked, and told which they are. What it answers stands there; what arguments, earlier results, entities and
formulas say goes before it, and formulas count with the model's values (guided.py). So the entities of a conversation, and
what calls do to them, are the same with and without a model. An invalid result is asked for once more; if the second is
invalid too, the schema's own one is used.

What was once taken from the model stays so in a conversation: a call that is made again has the same result, as far as the
model made it, and what a result showed of an entity beside its fields is shown again by tools that only look at it.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

import orjson

from generator.core.exact_json import same
from generator.core.offline_schemas import validator
from generator.core.toolbox import Toolbox, ToolSpec
from generator.llm.asking import Asker, Request
from generator.llm.prompts import Prompts, looser_schema
from generator.llm.reading import ask_for_json, kind_of_fault
from generator.world.backend import Backend
from generator.world.making import ABSENT
from generator.world.state.population import EntityFields
from generator.world.world import MadeResult, SimulatedWorld

USE = "results"
IN_PART = "accepted in part"
"""What became of an answer of which some values are fixed by something else."""
NOT_ASKED = "not asked: nothing is left open"
"""What became of a call whose result the arguments, the entities and formulas decide."""
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
        **{name: getattr(backend, name) for name in Backend.__struct_fields__},
        asker=asker,
        prompts=prompts,
        toolbox=toolbox,
    )


def shown_schema(returns: Any) -> Any:
    """Return a result's schema as a model sees it, without restrictions that formulas or the bounds of a call overrule."""
    if isinstance(returns, list):
        return [shown_schema(part) for part in returns]
    if not isinstance(returns, dict):
        return returns
    kept = _ABOUT_COMPUTED if "x-compute" in returns else frozenset(returns)
    if "x-minimum" in returns or "x-maximum" in returns:
        kept -= _BOUNDS
    return {key: shown_schema(part) for key, part in returns.items() if key in kept}


class _AskedWorld(SimulatedWorld):
    __slots__ = ("_asked", "_proposed")

    def __init__(self, backend: AskedBackend, today: date, salt: int) -> None:
        super().__init__(backend, today, salt)
        self._asked = backend
        self._proposed: dict[tuple[str, bytes], tuple[Any, str]] = {}
        """The model's answers in this conversation, or why there is none, by tool and arguments."""

    def result_of(
        self, tool: str, arguments: dict[str, Any], entities: Sequence[EntityFields], proposed: Any = ABSENT
    ) -> MadeResult:
        """Return the result of a call; asks the model for it, if anything is open."""
        usual = super().result_of(tool, arguments, entities)
        asker, spec = self._asked.asker, self._asked.toolbox[tool]
        if not usual.undecided:
            asker.note_of(USE, NOT_ASKED)
            return usual
        schema, call = (
            looser_schema(shown_schema(spec.returns)),
            (tool, orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)),
        )
        if call not in self._proposed:
            request = _request(self._asked.prompts, spec, schema, arguments, usual, self._day)
            self._proposed[call] = _answer(asker, self._asked.prompts, request, schema)
        value, fault = self._proposed[call]
        if fault:
            asker.note(USE, kind_of_fault(fault))
            return usual
        guided = super().result_of(tool, arguments, entities, value)
        if same(guided.value, usual.value) or not validator(schema).is_valid(guided.value):
            asker.note(USE, "the same values" if same(value, usual.value) else "nothing of it can stand")
            return usual
        asker.note_of(USE, "accepted" if same(guided.value, value) else IN_PART)
        return guided


def _answer(asker: Asker, prompts: Prompts, request: Request, schema: Any) -> tuple[Any, str]:
    """Return the model's result, or why there is none after it was asked twice."""
    value, answer, fault = ask_for_json(asker, request, schema)
    if fault:
        value, _, fault = ask_for_json(asker, prompts.once_more(request, answer, fault), schema)
    return value, fault


def _request(
    prompts: Prompts, spec: ToolSpec, schema: Any, arguments: dict[str, Any], usual: MadeResult, today: date
) -> Request:
    """Return the request for the result of one call: tool, arguments, schema, and an example to change."""
    return prompts.result.ask(
        schema,
        USE,
        tool=spec.name,
        description=spec.tool.description or spec.name,
        arguments=_json(arguments),
        returns=_json(schema),
        example=_json(usual.value),
        open=", ".join(slot or "all of it" for slot in usual.undecided),
        today=today.isoformat(),
    )


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
