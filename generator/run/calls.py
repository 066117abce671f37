"""Carry a plan out: draw arguments, take what earlier results give, and have every call answered."""

from collections.abc import Callable
from datetime import date
from typing import Any

import orjson

from generator.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, Violation
from generator.execution import Backend, World
from generator.execution.backend import content_of
from generator.planning import Binding, Bound, FilledCall, FilledStep, Plan, PlannedCall, Step
from generator.pointers import expand, resolve, split
from generator.run.workshop import Workshop
from generator.seeds import Draw, call_id
from generator.toolbox import Pick, Relation, ToolSpec
from generator.validation.proof.spans import same

_TRIES = 20
"""How often arguments are drawn again to differ from those of the other calls."""


class CannotFill(Exception):  # noqa: N818
    """The values that came up do not fit the plan; another attempt will."""


def carry_out(plan: Plan, workshop: Workshop, draw: Draw, today: date, salt: int) -> tuple[tuple[FilledStep, ...], ...]:
    """All turns of the plan with arguments and results; raises CannotFill when the luck of the draw forbids it."""
    world = workshop.backend.open(today, salt)
    used_ids: set[str] = set()
    return tuple([_carry_out_turn(turn.steps, workshop, draw, world, used_ids) for turn in plan.turns])


def replay(conversation: Conversation, backend: Backend, today: date, salt: int) -> list[Violation]:
    """Make all calls of a finished conversation once more; every result must come out as it stands there."""
    world = backend.open(today, salt)
    answer = world.answer
    expected: dict[str, str] = {}
    found: list[Violation] = []
    for index, message in enumerate(conversation.messages):
        if type(message) is ToolMessage:
            if expected.get(message.tool_call_id) != message.content:
                where = f"$.messages[{index}].content"
                found.append(Violation("RP101", where, "the backend answers this call differently"))
        elif type(message) is AssistantMessage and message.tool_calls:
            expected = {}
            for call in message.tool_calls:
                expected[call.id] = content_of(answer(call.name, call.arguments))
            world.settle()
    return found


def _carry_out_turn(
    steps: tuple[Step, ...], workshop: Workshop, draw: Draw, world: World, used_ids: set[str]
) -> tuple[FilledStep, ...]:
    done: list[FilledStep] = []
    answer, rand = world.answer, draw.rand
    for step in steps:
        calls: list[FilledCall] = []
        beside: dict[str, list[dict[str, Any]]] = {}
        """Arguments of the step's calls, by tool."""
        for planned in step.calls:
            tool = planned.tool
            spec = workshop.toolbox[tool]
            others = beside.setdefault(tool, [])
            for arguments, bound in _arguments(planned, step, others, done, spec, workshop, draw):
                new_id = call_id(rand)
                while new_id in used_ids:
                    new_id = call_id(rand)
                used_ids.add(new_id)
                result = answer(tool, arguments)
                calls.append(FilledCall(spec, ToolCall(new_id, tool, arguments), result, content_of(result), bound))
                others.append(arguments)
        world.settle()
        done.append(FilledStep(tuple(calls), step.vary, any(planned.for_each for planned in step.calls)))
    return tuple(done)


Source = Callable[[Draw], dict[str, Any]]
Filled = tuple[dict[str, Any], tuple[Bound, ...]]


def _arguments(
    planned: PlannedCall,
    step: Step,
    others: list[dict[str, Any]],
    done: list[FilledStep],
    spec: ToolSpec,
    workshop: Workshop,
    draw: Draw,
) -> tuple[Filled, ...] | list[Filled]:
    """Arguments of a call: unlike those of `others`, or with values of earlier results, then maybe one set for each."""
    source = workshop.sources[planned.tool]
    arguments = source(draw)
    bindings = planned.bindings
    if not bindings:
        if step.vary is not None:
            arguments = _varied(spec, source, others, step.vary, draw, arguments)
        elif others or not arguments:
            arguments = _different(planned.tool, source, others, step, draw, arguments)
        return ((arguments, ()),)
    if planned.for_each:
        binding = bindings[0]
        taken = _taken_from(binding, done)
        pointers = expand(taken.result, binding.result)
        if len(pointers) < 2:
            raise CannotFill("a list that should have several elements has only one")
        return [_bind(arguments, [(binding, taken, pointer, binding.picks[0])], spec) for pointer in pointers]
    picked = [(binding, _taken_from(binding, done)) for binding in bindings]
    return [_bind(arguments, [(binding, taken, *_choose(binding, taken)) for binding, taken in picked], spec)]


def _taken_from(binding: Binding, done: list[FilledStep]) -> FilledCall:
    return done[binding.step].calls[binding.call]


def _choose(binding: Binding, taken: FilledCall) -> tuple[str, Pick | None]:
    """The element of the list that the first workable pick singles out."""
    pointers = expand(taken.result, binding.result)
    if not pointers:
        raise CannotFill(f"the result has no {binding.result}")
    if not binding.picks:
        return pointers[0], None
    for pick in binding.picks:
        index = _index_of(pick, taken.result, binding.result)
        pointer = "/" + binding.result.replace("*", str(index), 1)
        if pointer in pointers:  # the element may lack the field
            return pointer, pick
    raise CannotFill("no element of the list stands out")


def _index_of(pick: Pick, result: Any, pattern: str) -> int | None:
    elements = resolve(result, pattern.partition("/*")[0])
    if pick.by in {"first", "last"}:
        return 0 if pick.by == "first" else len(elements) - 1
    extreme, _, field = pick.by.partition(" ")
    try:
        values = [resolve(element, field) for element in elements]
        best = min(values) if extreme == "min" else max(values)
    except (LookupError, TypeError):  # an element lacks the field, or holds null there
        return None
    return values.index(best) if values.count(best) == 1 and len(values) > 1 else None


def _bind(
    shared: dict[str, Any], taken: list[tuple[Binding, FilledCall, str, Pick | None]], spec: ToolSpec
) -> Filled:
    """The arguments with the values of earlier results in their places, keys in declared order."""
    arguments = orjson.loads(orjson.dumps(shared))
    bound = []
    for binding, call, pointer, pick in taken:
        *parents, last = split(binding.argument)
        inside = arguments
        for parent in parents:
            inside = inside.setdefault(parent, {})
        inside[last] = resolve(call.result, pointer)
        bound.append(Bound(argument=binding.argument, call_id=call.call.id, pointer=pointer, pick=pick))
    order = (spec.tool.parameters or {}).get("properties", {})
    ordered = {key: arguments[key] for key in order if key in arguments}
    return {**ordered, **arguments}, tuple(bound)


def _different(
    tool: str, source: Source, others: list[dict[str, Any]], step: Step, draw: Draw, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Arguments unlike those of the other calls of the same tool in this step."""
    repeated = [call.tool for call in step.calls].count(tool) > 1  # nobody asks twice without saying what for
    key = next(iter(arguments), "")
    for attempt in range(_TRIES):
        if arguments or not repeated:
            # calls of one tool should be about different things, not only differ somewhere
            alike = _agrees(arguments, others, key) if attempt < _TRIES // 2 else _equals(arguments, others)
            if not alike:
                return arguments
        arguments = source(draw)
    raise CannotFill("the calls of a step could not be made to differ")


def _agrees(arguments: dict[str, Any], others: list[dict[str, Any]], key: str) -> bool:
    """Whether another call has the same value there; as it has where everything is the same."""
    return _is_among(arguments.get(key), [other.get(key) for other in others])


def _is_among(value: Any, others: list[Any]) -> bool:
    if type(value) is str:  # text is the same as equal text only
        return value in others
    return True in [same(value, other) for other in others]


def _equals(arguments: dict[str, Any], others: list[dict[str, Any]]) -> bool:
    return any(same(arguments, other) for other in others)


def _holds(relation: Relation, arguments: dict[str, Any]) -> bool:
    left, right = arguments.get(relation.left), arguments.get(relation.right)
    if left is None or right is None:
        return True
    return bool(left < right) if relation.operator == "<" else not same(left, right)


def _varied(
    spec: ToolSpec,
    source: Source,
    others: list[dict[str, Any]],
    vary: str,
    draw: Draw,
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """The first call's arguments with another value for `vary`."""
    taken = [other[vary] for other in others]
    for _ in range(_TRIES):
        value = arguments.get(vary)
        if value is not None and not (taken and _is_among(value, taken)):
            varied = arguments
            if others:
                varied = others[0].copy()
                varied[vary] = value
            if not spec.relations or all(_holds(relation, varied) for relation in spec.relations):
                return varied
        arguments = source(draw)
    raise CannotFill(f"no different values came up for {vary}")
