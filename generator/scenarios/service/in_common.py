"""What the requests of one user have in common: the person for whom they ask, and the days and the city of a journey."""

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Wish
from generator.core.pointers import resolve, with_value
from generator.scenarios.affordances.goals import InCommon
from generator.scenarios.policies import Policy
from generator.scenarios.scene import Scene
from generator.scenarios.service.ruling import given_at

_NAME = "person_name"
"""The kind of arguments that name somebody."""
_THE_SAME = 0.9
"""How often users ask for the same person as before."""


def for_one_purpose(scene: Scene, policy: Policy) -> Scene:
    """Return the scene with room for values that requests have in common, for a goal that a policy's tools serve, where there is one."""
    purposes = {
        purpose.name: purpose
        for name, some in scene.toolkit.purposes.items()
        if scene.toolkit.toolbox[name].domain in policy.serves
        for purpose in some
    }
    if not purposes:
        return scene
    return msgspec.structs.replace(scene, common=InCommon(scene.draw.choice(list(purposes.values())), {}))


def for_one_person(scene: Scene, known: list[str], wish: Wish, *then: str, fewest: int = 1) -> Wish:
    """Return a wish in which somebody is named who was named before; if it is the first one, who it names is noted.

    Args:
        scene: The row.
        known: Who was named first, if somebody was.
        wish: The wish.
        then: Tools that succeed for what it finds.
        fewest: How many things it finds at least, if it is a search.
    """
    spec = scene.toolkit.toolbox[wish.tool]
    slots = [
        slot
        for slot, kind in spec.kinds.items()
        if kind == _NAME and "*" not in slot and given_at(wish.said, slot) is not None
    ]
    if not slots:
        return wish
    if not known:
        known.append(resolve(wish.said, slots[0]))
    if known[0] == resolve(wish.said, slots[0]) or not scene.draw.chance(_THE_SAME):
        return wish
    said = with_value(wish.said, f"/{slots[0]}", known[0])
    if wish.tool not in scene.toolkit.look_ups:
        return msgspec.structs.replace(wish, said=said)
    try:
        said = scene.fitted(wish.tool, said, then, (), fewest, agreed=True)
    except CannotFillError:
        return wish
    return msgspec.structs.replace(wish, said=said) if resolve(said, slots[0]) == known[0] else wish
