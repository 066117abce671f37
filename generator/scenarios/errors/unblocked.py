"""Calls that a tool refuses because of the state of a thing, and the step by another tool that ends that state.

The step has an effect that the user has not asked for, so it is made by leave only: they have given it with the request, or the
assistant asks. "Ticket TCK-20411 is resolved. Shall I reopen it first?"
"""

from contextlib import suppress

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Ask, Call, Fixed, Ref, Say, Step, Tell, Wish
from generator.core.pointers import escape
from generator.scenarios.affordances.refusals import Blocked
from generator.scenarios.affordances.uses_of_links import is_searched_silently
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene
from generator.scenarios.serving import make_again, serve, tell, tell_failed

_ALLOWED = 0.35
"""How often the user allows the step with the request."""
_AGREED = 0.72
"""How often they agree when the assistant asks."""
_TRIES = 4


def unblock(scene: Scene, way: Blocked) -> Events:
    """Yield a request that the state of a thing forbids, and what leads out of that state, if the user wants it."""
    is_allowed = scene.draw.chance(_ALLOWED)
    wishes = _wishes(scene, way)
    wish = msgspec.structs.replace(wishes[-1], allows=way.by if is_allowed else None)
    asked = yield Say(wishes=(*wishes[:-1], wish))
    number = len(wishes) - 1
    found = []
    if number:
        found.append((yield Step(calls=(serve(asked, 0),))))
    refused = yield Step(calls=(serve(asked, number, *found),))
    if refused.outcomes[0].ok:
        raise CannotFillError(f"{wish.tool} is not refused")
    call = _step(refused, way)
    if not is_allowed:
        yield tell_failed(refused)
        ask = yield Ask(wish=(asked.id, number), call=call)
        is_agreed = scene.draw.chance(_AGREED)
        yield Say(to=ask.id, yes=is_agreed)
        if not is_agreed:
            yield Tell(about=(), how="not_done", wish=(asked.id, number))
            return
    ended = yield Step(calls=(call,))
    done = yield Step(calls=(make_again(refused),))
    if not ended.outcomes[0].ok or not done.outcomes[0].ok:
        raise CannotFillError(f"{way.by.tool} does not help")
    yield tell(ended, done)


def _wishes(scene: Scene, way: Blocked) -> tuple[Wish, ...]:
    """Return the wish that is refused, after that for the search which finds what it is about, if there is one."""
    if way.edge is not None:
        search = scene.wish_for_refused(way.edge, way.refusal)
        search = msgspec.structs.replace(search, unnamed=is_searched_silently(scene.toolkit, way.edge.source))
        return search, scene.dependent_wish(way.edge, {way.edge.source: Ref(HERE, 0, "")})
    for _ in range(_TRIES):
        with suppress(CannotFillError):
            wish = scene.wish_refused(way.refusal)
            if scene.peek(way.by.tool, {way.names: wish.said[way.named], **way.by.chosen}).ok:
                return (wish,)
    raise CannotFillError(f"{way.by.tool} cannot be called for what {way.refusal.tool} refuses")


def _step(refused: Step, way: Blocked) -> Call:
    """Return the call that ends the state of what a refused call is about."""
    call = refused.calls[0]
    chosen = {escape(name): Fixed(value) for name, value in way.by.chosen.items()}
    return Call(way.by.tool, {escape(way.names): call.args[way.named], **chosen}, call.serves, unblocks=(refused.id, 0))


UNBLOCKED = (
    Pattern("U (C:ok)? C:failed A U A", told=("failed", "unblocking", "no", "not_done")),
    Pattern("U (C:ok)? C:failed A U C:unblocks:ok C:again:ok A", told=("failed", "unblocking", "yes")),
    Pattern("U (C:ok)? C:failed C:unblocks:ok C:again:ok A", told=("if_need_be",)),
)
"""The ways in which a call is refused, unblocked by the user's leave and made again, or left."""
