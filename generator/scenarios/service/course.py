"""How far a conversation under a policy has come."""

import msgspec

from generator.planning import Wish
from generator.policies import Rules
from generator.scenarios.scene import Scene


class Course(msgspec.Struct):
    """How far a conversation has come."""

    scene: Scene
    rules: Rules
    person: Wish | None
    """What would find who the user is, if the policy has a clause about that."""
    made: list[str]
    """The tools that have been called with success."""
    is_known: bool = False
    """Whether it has been found who the user is."""
    is_over: bool = False
    """Whether the conversation has been handed over."""
