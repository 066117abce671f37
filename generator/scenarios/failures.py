"""Calls that fail for reasons other than what they ask for: the texts of errors, and the shapes in which tools return them."""

from functools import cache
from typing import Any

import msgspec
import orjson

from generator.core.planning import PlannedFailure, Wish
from generator.core.profiles import ERROR
from generator.core.seeds import stream_seed
from generator.core.yaml_values import own_data
from generator.scenarios.scene import Scene


class Failure(msgspec.Struct, frozen=True):
    """One error of `failures.yaml`."""

    code: str
    say: str


class Failures(msgspec.Struct, frozen=True):
    """The content of `failures.yaml`."""

    transient: tuple[Failure, ...]
    permanent: tuple[Failure, ...]
    taken: tuple[Failure, ...]
    single: tuple[Failure, ...]
    reading: tuple[Failure, ...]


def let_fail(scene: Scene, wish: Wish, kind: str, times: int = 0) -> None:
    """Plan that the call of a wish, all of whose values are said, fails in this row's world.

    Args:
        scene: The row.
        wish: What the call is made for.
        kind: `transient`, `permanent`, or of one call among others `single`, or `reading` for a look-up.
        times: How often it fails; 0: always.
    """
    scene.faults.append(PlannedFailure(wish.tool, wish.said, _error(scene, wish.tool, kind), times))


def _error(scene: Scene, tool: str, kind: str) -> str:
    """Return the content of a failed call of a tool."""
    failure = scene.decide(getattr(known_failures(), kind))
    spec = scene.toolkit.toolbox[tool]
    return f"{ERROR}{failure.say}" if spec.plain_errors else failure_content(failure, spec.domain)


def let_be_taken(scene: Scene, tool: str, arguments: dict[str, Any]) -> None:
    """Plan that a call fails because what it is about has been taken since it was found."""
    scene.faults.append(PlannedFailure(tool, arguments, _error(scene, tool, "taken")))


def failure_content(failure: Failure, domain: str) -> str:
    """Return the content of a failed call. Tools of one domain belong to one server, so their errors have one shape."""
    code, say = failure.code, failure.say
    shapes = (
        {"error": code, "message": say},
        {"error": {"code": code, "message": say}},
        {"status": "error", "message": say},
    )
    number = stream_seed("errors of", domain) % (len(shapes) + 1)
    return orjson.dumps(shapes[number]).decode() if number < len(shapes) else ERROR + say


@cache
def known_failures() -> Failures:
    """Return the errors that any tool may give."""
    return msgspec.convert(own_data(__file__), Failures, strict=False)
