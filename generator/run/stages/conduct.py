"""Run a scenario's events: resolve the sources of arguments, make the calls, and give each event back."""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
import orjson

from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, Violation
from generator.core.errors import CannotFillError
from generator.core.exact_json import is_among
from generator.core.planning import Ask, Call, Decline, Event, Meant, Note, Ref, Say, Step, Tell, Wish
from generator.core.pointers import expand, resolve, split
from generator.core.seeds import Draw, call_id
from generator.core.toolbox import Toolbox, ToolSpec
from generator.dialogue.from_results.choosing import single_out
from generator.dialogue.proof.picks import is_only
from generator.scenarios import Scenario, Scene
from generator.world.failing import FailingWorld
from generator.world.outcome import World
from generator.world.state import State, entities_of, state_of

_SENTENCES = ("The {name} is {value}.", "For all calls, the {name} is {value}.", "Use {value} as the {name}.")


def needs_context(toolbox: Toolbox) -> bool:
    """Whether some tool has an argument that only the system message can state."""
    return any(_stated(spec) for spec in toolbox.values())


def carry(say: Say, events: list[Event], toolbox: Toolbox, draw: Draw) -> Say:
    """Return what the user says, with the arguments marked as `known` that need not be said.

    Adds values that nobody has stated yet to the system message, which is the first event.
    """
    if say.to is not None:
        return say
    wishes: list[Wish] = []
    for wish in say.wishes:
        spec = toolbox[wish.tool]
        known_values = {
            slot: _state(events, slot, wish.said[slot], draw) for slot in _stated(spec) if slot in wish.said
        }
        for slot in spec.context:
            event_and_wish = (
                _said_before(slot, wish, [*events, say], wishes, toolbox)
                if slot in wish.said and slot not in known_values
                else None
            )
            if event_and_wish is not None:
                known_values[slot] = Ref(*event_and_wish, slot)
        wishes.append(msgspec.structs.replace(wish, known=known_values) if known_values else wish)
    return msgspec.structs.replace(say, wishes=tuple(wishes))


def _stated(spec: ToolSpec) -> list[str]:
    """Return the required arguments that people never say."""
    required = spec.required
    return [slot for slot, often in spec.say.items() if often == "never" and slot in required]


def _said_before(
    slot: str, wish: Wish, events: Sequence[Event], wishes: Sequence[Wish], toolbox: Toolbox
) -> tuple[int, int] | None:
    """Return the event and the wish that said this value last; None if another value was said since.

    Requests of one message go by each other only where one of them is about what the other finds.
    """
    for event in reversed(events):
        if type(event) is not Say or (event is events[-1] and not wish.meant):
            continue
        wishes_of_event = wishes if event is events[-1] else event.wishes
        for wish_index, other in reversed(list(enumerate(wishes_of_event))):
            if slot in other.spoken and slot in toolbox[other.tool].context:
                return (event.id, wish_index) if other.said[slot] == wish.said[slot] else None
    return None


def _state(events: list[Event], slot: str, value: Any, draw: Draw) -> Ref:
    """Return the place of a value in the system message, to which it is added if it is not there."""
    note = events[0]
    assert isinstance(note, Note)
    if all(name != slot for name, *_ in note.spans):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        before, after = draw.choice(_SENTENCES).replace("{name}", _name(slot)).split("{value}")
        start = len(note.text) + bool(note.text) + len(before)
        whole = f"{note.text} {before}{text}{after}".lstrip()
        events[0] = msgspec.structs.replace(
            note, text=whole, spans=(*note.spans, (slot, value, start, start + len(text)))
        )
    return Ref(0, 0, slot)


def _name(slot: str) -> str:
    """Return what an argument is called: `serviceDeskId` is the service desk ID."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", slot).replace("_", " ").split()
    return " ".join([word.upper() if word.lower() in ("id", "url", "uuid") else word.lower() for word in words])


def conduct(scenario: Scenario, scene: Scene, world: World, note: Note | None) -> tuple[Event, ...]:
    """Run all events of a conversation, in order.

    A failed call is given back to a scenario that plans with failures; for all others it means that the drawn values
    do not fit.

    Raises:
        CannotFillError: when the values that were drawn do not fit the plan.
    """
    events: list[Event] = []
    note = _system(scene, note)
    if note is not None:
        events.append(_with_id(note, 0))
        scene = msgspec.structs.replace(scene, states_today=note.states_today)
    used_ids: set[str] = set()
    entities = entities_of(world)
    if entities is not None:
        scene = msgspec.structs.replace(scene, world=entities)
    world = world_of(scenario, scene, world)
    script = scenario.events(scene)
    event = next(script)
    if entities is not None:
        entities.begin()
    while True:
        done = _run(event, events, scene, world, used_ids)
        if type(done) is Step and not scenario.fails:
            _check_outcomes(done)
        events.append(done)
        try:
            event = script.send(done)
        except StopIteration:
            return tuple(events)


def replay(conversation: Conversation, world: World, first: State | None = None) -> list[Violation]:
    """Make all calls of a finished conversation again in a new world; every result must be the same, and the entities left as in `first`."""
    state = state_of(world)
    if state is not None and first is not None:
        state.restore(first.added)
    expected: dict[str, str] = {}
    violations: list[Violation] = []
    for index, message in enumerate(conversation.messages):
        if type(message) is ToolMessage:
            if expected.get(message.tool_call_id) != message.content:
                where = f"$.messages[{index}].content"
                violations.append(Violation("RP101", where, "the backend answers this call differently"))
        elif type(message) is AssistantMessage and message.tool_calls:
            outcomes = world.step(message.tool_calls)
            expected = {call.id: outcome.content for call, outcome in zip(message.tool_calls, outcomes, strict=True)}
    if state is not None and first is not None and state.digest() != first.digest():
        violations.append(Violation("RP102", "$", "the entities are not left as they were"))
    return violations


def _run(event: Event, events: list[Event], scene: Scene, world: World, used_ids: set[str]) -> Event:
    """Return the event with its id; a `Step` with its calls made."""
    if not isinstance(event, Step):
        done = _with_id(event, len(events))
        if isinstance(done, Tell) and done.how == "done":
            _check_found(done, events, scene.toolkit.toolbox)
        return carry(done, events, scene.toolkit.toolbox, scene.draw) if isinstance(done, Say) else done
    calls: list[Call] = []
    calls_made: list[ToolCall] = []
    for planned in event.calls:
        spec = scene.toolkit.toolbox[planned.tool]
        for call in _each(planned, events):
            new_id = call_id(scene.draw.rand)
            while new_id in used_ids:
                new_id = call_id(scene.draw.rand)
            used_ids.add(new_id)
            calls.append(call)
            arguments = _arguments(call, events, spec)
            calls_made.append(ToolCall(new_id, call.tool, arguments))
            if spec.example_calls:
                _check_known(spec, call, arguments, events)
            if scene.world is not None and scene.world.changes_nothing(calls_made[-1]):
                raise CannotFillError(f"{call.tool} would change nothing")
    outcomes = tuple(world.step(calls_made))
    return Step(id=len(events), calls=tuple(calls), made=tuple(calls_made), outcomes=outcomes)


def _check_known(spec: ToolSpec, call: Call, arguments: dict[str, Any], events: Sequence[Event]) -> None:
    """Raise CannotFillError for a call with values of an earlier result of which nobody has said what it gives."""
    known_calls = spec.only_calls
    if not known_calls or not any(isinstance(events[ref.event], Step) for ref in call.args.values()):
        return
    needed = spec.required or tuple(spec.properties)
    arguments_given = {name: arguments.get(name) for name in needed}
    if not is_among(arguments_given, [{name: known_call.get(name) for name in needed} for known_call in known_calls]):
        raise CannotFillError(f"nobody has said what {spec.name} gives for these arguments")


def _system(scene: Scene, note: Note | None) -> Note | None:
    """Return the first system message; an empty one where values may be added to it later."""
    return Note(text="") if note is None and needs_context(scene.toolkit.toolbox) else note


def world_of(scenario: Scenario, scene: Scene, world: World) -> World:
    """Return the world of a row: one in which calls can fail, if its scenario plans with failures."""
    return FailingWorld(world, scene.faults, scene.toolkit.toolbox) if scenario.fails else world


def _check_outcomes(step: Step) -> None:
    """Raise CannotFillError for a failed call, because the plan will be worded as if all went well."""
    for call, outcome in zip(step.made, step.outcomes, strict=True):
        if not outcome.ok:
            raise CannotFillError(f"{call.name} answers: {outcome.content[:200]}")


def _check_found(tell: Tell, events: Sequence[Event], toolbox: Toolbox) -> None:
    """Raise CannotFillError for a search that found nothing where its result is to be told: nobody says that."""
    for step, call_index in [(events[of], call_index) for of, call_index in tell.about]:
        assert isinstance(step, Step)
        effect, outcome = toolbox[step.calls[call_index].tool].effect, step.outcomes[call_index]
        if effect is not None and effect.kind == "find" and outcome.ok and not resolve(outcome.value, effect.at):
            raise CannotFillError(f"{step.calls[call_index].tool} finds nothing")


def _with_id(event: Event, event_id: int) -> Event:
    """Return the event with that id; a Step has one already."""
    match event:
        case Say():
            return msgspec.structs.replace(event, id=event_id)
        case Ask():
            return msgspec.structs.replace(event, id=event_id)
        case Decline():
            return Decline(id=event_id, wish=event.wish, instead=event.instead, like=event.like)
        case Tell():
            return msgspec.structs.replace(event, id=event_id)
        case Note():
            return msgspec.structs.replace(event, id=event_id)
        case Step():
            return event


def _each(call: Call, events: Sequence[Event]) -> list[Call]:
    """Return the call with the elements of lists that it takes; for a wish about each element of a list, one call for each."""
    wish = _wish(call.serves, events)
    if wish.for_each:
        ((slot, origin),) = [(slot, ref) for slot, ref in call.args.items() if ref.because]
        pointers = expand(_value_of(origin, events), origin.at)
        if len(pointers) < 2:
            raise CannotFillError("a list that should have several elements has only one")
        description = wish.meant[slot]
        assert isinstance(description, Meant)
        picked = [
            Ref(origin.event, origin.of, at.removeprefix("/"), origin.because, description.picks[0]) for at in pointers
        ]
        return [Call(call.tool, {**call.args, slot: ref}, call.serves) for ref in picked]
    if not wish.meant:
        return [call]
    args = {slot: _settled(origin, events) for slot, origin in call.args.items()}
    return [msgspec.structs.replace(call, args=args)]


def _settled(origin: Ref, events: Sequence[Event]) -> Ref:
    """Return the exact source of an argument: the element of a list that its description names."""
    if not isinstance(events[origin.event], Step):
        return origin
    if origin.because is None or origin.pick is not None:
        return origin
    description = _wish(origin.because[:2], events).meant[origin.because[2]]
    assert isinstance(description, Meant)
    result = _value_of(origin, events)
    is_seen = origin.event < origin.because[0]
    pointer, pick = single_out(result, origin.at, description.picks)
    if is_seen and pick is not None and pick.by in ("first", "last") and is_only(result, pointer):
        pick = None  # "it": of one thing nobody says "the first one"
    return Ref(origin.event, origin.of, pointer.removeprefix("/"), origin.because, pick)


def _wish(event_and_index: tuple[int, int], events: Sequence[Event]) -> Wish:
    """Return the wish at (id of the event in which the user says it, index in that event)."""
    say = events[event_and_index[0]]
    assert isinstance(say, Say)
    return say.wishes[event_and_index[1]]


def _value_of(ref: Ref, events: Sequence[Event]) -> Any:
    """Return the value that a reference's pointer leads into."""
    event = events[ref.event]
    match event:
        case Step():
            return event.outcomes[ref.of].value
        case Say():
            return event.wishes[ref.of].said
        case Note():
            return {name: value for name, value, _, _ in event.spans}
    raise TypeError(f"an event {event} has no values")


def _arguments(call: Call, events: Sequence[Event], spec: ToolSpec) -> dict[str, Any]:
    """Return the arguments of a call; with values of earlier events in their places, keys in declared order."""
    order = spec.properties
    wish_event, wish_index = call.serves
    wish = _wish(call.serves, events)
    others = [
        (slot, origin) for slot, origin in call.args.items() if origin.event != wish_event or origin.of != wish_index
    ]
    said_arguments = wish.said
    if not others:  # all is as the user said it
        return said_arguments
    arguments: dict[str, Any] = orjson.loads(orjson.dumps(said_arguments))
    for slot, origin in others:
        *parents, last = split(slot)
        holder = arguments
        for parent in parents:
            holder = holder.setdefault(parent, {})
        holder[last] = resolve(_value_of(origin, events), origin.at)
    return {**{key: arguments[key] for key in order if key in arguments}, **arguments}
