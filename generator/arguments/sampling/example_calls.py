"""Arguments that belong together because somebody wrote them together, and calls with only so many arguments as people say."""

from collections.abc import Collection
from copy import deepcopy
from typing import Any

from generator.arguments.sampling.leaves import Test
from generator.core.seeds import Draw, Maker
from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec, fields_written

_MOST_SAID = 2
"""Optional arguments that a call has at most beside those that one phrase says together."""


def example_calls_of(spec: ToolSpec) -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    """Return (arguments, result) pairs: those of the tool, or else what it writes of the whole examples of its entity.

    Arguments for which somebody has said values of their own keep these.
    """
    if spec.example_calls or spec.effect is None or spec.effect.entity not in spec.declared.entities:
        return spec.example_calls
    written = [
        (field, value.removeprefix("args."))
        for field, value in fields_written(spec).items()
        if isinstance(value, str)
        and value.removeprefix("args.") in spec.properties
        and not _has_own_values(spec, value.removeprefix("args."))
    ]
    found = [
        {name: one[field] for field, name in written if field in one}
        for one in spec.declared.entities[spec.effect.entity].examples
    ]
    return tuple([(one, {}) for one in found if one])


def _has_own_values(spec: ToolSpec, name: str) -> bool:
    keys = [key for key in ("examples", "kinds", "patterns") if name in getattr(spec, key)]
    return any(spec.origins.get(f"{key}.{name}") != "derived" for key in keys)


def with_example_calls(make: Maker, spec: ToolSpec, kept: Collection[str], is_valid: Test) -> Maker:
    """Return a maker of the same arguments, with values that were written together.

    A call whose result was written too is taken as a whole.

    Args:
        make: The maker of arguments that fit the schema.
        spec: The tool.
        kept: Arguments whose values a recipe chose.
        is_valid: Whether arguments fit the schema.
    """
    calls = example_calls_of(spec)
    if not calls:
        return make
    wholes = [own for own, result in calls if result and not set(kept) & own.keys() and is_valid(own)]
    pairs = [own for own, result in calls if not result]

    def made(draw: Draw) -> Any:
        at = int(draw.rand() * (len(wholes) + len(pairs)))
        if at < len(wholes):
            return deepcopy(wholes[at])
        arguments = make(draw)
        own = pairs[at - len(wholes)] if pairs else {}
        told = {name: deepcopy(own[name]) for name in arguments if name in own and name not in kept}
        changed = {**arguments, **told}
        return changed if is_valid(changed) else arguments

    return made


def as_people_say(make: Maker, spec: ToolSpec, is_valid: Test) -> Maker:
    """Return a maker of the same arguments without most optional ones, and of changes with something that is changed.

    Nobody strings five things together; a phrase that holds several says them in one go.
    """
    required = {*spec.required}
    optional = [name for name in spec.properties if name not in required]
    phrases = spec.phrases
    heads = [parse_template(text).says - required for text in (*phrases.request, *phrases.question, *phrases.want)]
    together = max((len(head) for head in heads), default=0)
    changes = _changes(spec)
    if len(optional) <= _MOST_SAID and not changes:
        return make

    def made(draw: Draw) -> Any:
        arguments = make(draw)
        for _ in range(_TRIES if changes else 0):
            if not changes.isdisjoint(arguments):
                break
            arguments = make(draw)
        there = [name for name in optional if name in arguments]
        if len(there) <= _MOST_SAID:
            return arguments
        carried = max((head for head in heads if head <= {*there}), key=len, default=frozenset()) if together else ()
        rest = draw.shuffled([name for name in there if name not in carried])
        first = [name for name in rest if name in changes or spec.say.get(name) == "usually"]
        most = _MOST_SAID if not carried else 1
        kept = {*carried, *[*first, *[name for name in rest if name not in first]][:most]}
        fewer = {name: value for name, value in arguments.items() if name in required or name in kept}
        return fewer if is_valid(fewer) else arguments

    return made


_TRIES = 20


def _changes(spec: ToolSpec) -> frozenset[str]:
    """Return the arguments of a change of which it needs one, since none of them is required."""
    effect = spec.effect
    if effect is None or effect.kind != "update" or effect.set:
        return frozenset()
    written = [value.removeprefix("args.") for value in fields_written(spec).values() if isinstance(value, str)]
    found = frozenset(name for name in written if name in spec.properties)
    return frozenset() if found & {*spec.required} else found
