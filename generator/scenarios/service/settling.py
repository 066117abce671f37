"""The call for a wish once its thing is found: which element of the list it takes."""

from typing import Any

import msgspec

from generator.picking import single_out
from generator.planning import Call, Meant, Ref, Say, Step
from generator.pointers import resolve, unescape
from generator.scenarios.serving import serve


def settled(asked: Say, number: int, found: Step | None) -> tuple[Call, dict[str, Any], str]:
    """Return the call for a wish with the element of the list that it takes, its arguments, and the pointer to that element.

    Raises:
        CannotFillError: when no element of the list stands out.
    """
    wish = asked.wishes[number]
    call = serve(asked, number, *([] if found is None else [found]))
    if found is None:
        return call, wish.said, ""
    args, named, at = dict(call.args), dict(wish.said), ""
    for slot, meant in wish.meant.items():
        assert isinstance(meant, Meant)
        value = found.outcomes[0].value
        pointer, pick = single_out(value, meant.source.at, meant.picks)
        at = pointer.removeprefix("/")
        args[slot] = Ref(found.id, 0, at, (asked.id, number, slot), pick)
        named[unescape(slot)] = resolve(value, at)
        at = at.rpartition("/")[0]
    return msgspec.structs.replace(call, args=args), named, at
