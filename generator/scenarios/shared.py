"""Values that wishes share: the same day, the same city, the same person, which people do not say twice."""

from collections.abc import Iterator, Sequence

import msgspec

from generator.core.errors import CannotFillError
from generator.core.exact_json import same
from generator.core.planning import HERE, Back, Ref, Wish
from generator.core.pointers import escape, schema_at
from generator.dialogue.from_results.choosing import may_mean, same_again
from generator.dialogue.from_results.depending import on_another_day
from generator.scenarios.affordances.goals import Purpose
from generator.scenarios.scene import Scene

_SAID_TWICE = 0.15
"""How often a message says a value again for each of its wishes."""


def kept_to_today(scene: Scene, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """Return the wishes of one message.

    Raises:
        CannotFillError: when one is for what is done at once, and another for something of another day, which could be heard of both.
    """
    toolbox = scene.toolkit.toolbox
    if on_another_day([(toolbox[wish.tool], wish.said) for wish in wishes], scene.draw.today.isoformat()):
        raise CannotFillError("a day is said of which what is done at once could be heard, too")
    return wishes


def said_once(scene: Scene, purpose: Purpose | None, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """Return the wishes of one message, of which each later one refers to a value that an earlier one says, too."""
    if purpose is None or scene.draw.chance(_SAID_TWICE):
        return wishes
    found = list(wishes[:1])
    for wish in wishes[1:]:
        found.append(_named(scene, purpose, found, wish, wishes) or wish)
    return tuple(found)


def _named(
    scene: Scene, purpose: Purpose, before: Sequence[Wish], wish: Wish, wishes: Sequence[Wish], event: int = HERE
) -> Wish | None:
    """Return a wish with words for a value that an earlier one says; None where there is none, or they could mean another one."""
    for at, earlier in enumerate(before):
        for there, slot in in_common(purpose, earlier, wish):
            words = scene.draw.choice(same_again(slot))
            value = wish.said[slot]
            if there in earlier.said and not any(could_mean(scene, words, one, value=value) for one in wishes):
                said = {name: one for name, one in wish.said.items() if name != slot}
                return msgspec.structs.replace(
                    wish, said=said, meant={**wish.meant, slot: Back(Ref(event, at, there), words)}
                )
    return None


def could_mean(scene: Scene, words: str, wish: Wish, slot: str = "", value: object = None) -> bool:
    """Whether words could refer to something that a wish says; `slot` is not looked at, nor what has the value."""
    parameters = scene.toolkit.toolbox[wish.tool].tool.parameters
    others = [escape(name) for name, said in wish.said.items() if escape(name) != slot and not same(said, value)]
    return any(may_mean(words, name, schema_at(parameters, name) or {}) for name in others)


def in_common(purpose: Purpose, one: Wish, other: Wish) -> Iterator[tuple[str, str]]:
    """Yield the slots of two wishes that share a value, if the words for the first also fit the second."""
    for left in purpose.slots.get(one.tool, ()):
        for right in purpose.slots.get(other.tool, ()):
            if (
                left.name == right.name
                and left.at in one.said
                and right.at in other.said
                and same(one.said[left.at], other.said[right.at])
                and not {*same_again(left.at)}.isdisjoint(same_again(right.at))
            ):
                yield left.at, right.at
