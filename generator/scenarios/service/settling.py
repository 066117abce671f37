"""The call for a wish once its thing is found: which element of the list it takes."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Call, Meant, Ref, Say, Step, Wish
from generator.core.pointers import resolve, unescape
from generator.core.toolbox import Pick
from generator.dialogue.from_results.choosing import told_fields
from generator.dialogue.from_results.picking import single_out
from generator.scenarios.affordances.links import Edge
from generator.scenarios.ask_first.ambiguous import choose_way
from generator.scenarios.policies import Hide, Rules
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve

_BY_NAME = 0.75
"""How often one of several things that the user has seen is called by what it has and no other, not by what it is most of."""
_NAMES = 2


def called_by_name(scene: Scene, rules: Rules, edge: Edge, search: Wish) -> Sequence[Pick]:
    """Return picks that call a thing by what it has and no other of those that a search would find now, of what no clause hides; now and then none."""
    outcome = scene.peek(search.tool, search.said)
    if not outcome.ok or not scene.draw.chance(_BY_NAME):
        return ()
    step = Step(id=1, calls=(Call(search.tool, {}, (0, 0)),), outcomes=(outcome,))
    hidden = [one.clause.field for one in rules.of(Hide) if one.clause.hide == edge.source]
    fields = told_fields(scene.toolkit.toolbox[edge.source], edge.link.result.partition("/*")[0]).difference(hidden)
    found: list[Pick] = []
    with suppress(CannotFillError):
        found += [choose_way(scene, edge, step, fields)[1] for _ in range(_NAMES)]
    return found


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
