"""The calls that serve what a user wishes, and the reports on them."""

from collections.abc import Sequence

from generator.core.planning import HERE, Call, Meant, Ref, Say, Step, Tell
from generator.core.pointers import escape
from generator.core.seeds import Draw

_IN_ANOTHER_ORDER = 0.2
"""How often the calls of one step stand in another order than the wishes for them."""


def serve(say: Say, wish: int = 0, *steps: Step, **given: Ref) -> Call:
    """Return the call that serves a wish, with what the user said, what was meant from the steps' results, and `given`."""
    wanted = say.wishes[wish]
    args: dict[str, Ref] = {slot: Ref(say.id, wish, slot) for slot in map(escape, wanted.said)}
    for slot, meant in wanted.meant.items():
        source = meant.source
        if isinstance(meant, Meant):
            of = (say.id if source.event == HERE else source.event, source.of)
            step, place = _server(of, steps)
            args[slot] = Ref(step.id, place, source.at, (say.id, wish, slot))
        else:
            args[slot] = Ref(say.id, source.of, source.at) if source.event == HERE else source
    return Call(wanted.tool, {**args, **given}, (say.id, wish))


def serve_all(say: Say, *steps: Step) -> tuple[Call, ...]:
    """Return the calls that serve all wishes of an event."""
    return tuple([serve(say, wish, *steps) for wish in range(len(say.wishes))])


def at_once(calls: Sequence[Call], draw: Draw) -> tuple[Call, ...]:
    """Return the calls of one step, usually in the order in which they are asked for, now and then in another."""
    if len(calls) < 2 or not draw.chance(_IN_ANOTHER_ORDER):
        return tuple(calls)
    shuffled = draw.shuffled(list(calls))
    return tuple(shuffled if shuffled != list(calls) else shuffled[::-1])


def tell(*steps: Step) -> Tell:
    """Return a report on all calls of some steps, in the order in which they were asked for."""
    return Tell(about=calls_in_order([(step, place) for step in steps for place in range(len(step.calls))]))


def calls_in_order(told: Sequence[tuple[Step, int]]) -> tuple[tuple[int, int], ...]:
    """Return (step's id, place) of some calls, in the order in which they were asked for."""
    ordered = sorted(told, key=lambda one: one[0].calls[one[1]].serves)
    return tuple([(step.id, place) for step, place in ordered])


def _server(of: tuple[int, int], steps: Sequence[Step]) -> tuple[Step, int]:
    """Return the step and place of the call that served a wish."""
    for step in steps:
        for place, call in enumerate(step.calls):
            if call.serves == of:
                return step, place
    raise LookupError(f"no call serves the wish {of}")
