"""clarify: a required value is withheld; the assistant asks for it, is told, and then calls."""

from collections.abc import Collection
from typing import Any

from generator.errors import PlanError
from generator.planning import Ask, Ref, Say, Step, Wish
from generator.pointers import escape
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.toolkit import Toolkit, is_single, once
from generator.templates import parse_template
from generator.toolbox import ToolSpec

Gap = tuple[str, str]
"""A tool, and a required argument that a request can leave out."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    found = gaps(toolkit)
    if not found:
        raise PlanError("scenario 'clarify' needs a tool with a required argument that a request can leave out")
    return {tool for tool, _ in found}


def _events(scene: Scene) -> Events:
    tool, slot = scene.decide(gaps(scene.toolkit))
    full = scene.wish(tool)
    withheld = Wish(tool, {key: value for key, value in full.said.items() if key != slot})
    asked = yield Say(wishes=(withheld,))
    ask = yield Ask(wish=(asked.id, 0), slot=slot)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {slot: full.said[slot]}),))
    done = yield Step(calls=(serve(asked, 0, **{slot: Ref(reply.id, 0, slot)}),))
    yield tell(done)


@once
def gaps(toolkit: Toolkit) -> tuple[Gap, ...]:
    """Return the gaps that requests can have."""
    return tuple([(name, slot) for name in toolkit.starters for slot in _slots_to_leave_out(toolkit.toolbox[name])])


def _slots_to_leave_out(spec: ToolSpec) -> list[str]:
    """Return the required arguments with a single value that at least one of the tool's requests does not say."""
    parameters: dict[str, Any] = spec.tool.parameters or {}
    properties = parameters.get("properties", {})
    required = [name for name in parameters.get("required", ()) if name in properties]
    phrases = spec.phrases
    heads = [
        parse_template(text).needs for texts in (phrases.request, phrases.question, phrases.want) for text in texts
    ]
    linked = {frame for frames in phrases.slots.values() for text in frames.frames for frame in _said_together(text)}
    return [
        name
        for name in required
        if spec.say.get(name) != "never"
        and name not in spec.context
        and is_single(properties[name])
        and escape(name) == name
        and name not in linked
        and (not heads or any(needs <= {*required} - {name} for needs in heads))
    ]


def _said_together(text: str) -> frozenset[str]:
    """Return the slots that a frame says together."""
    says = parse_template(text).says
    return says if len(says) > 1 else frozenset()


SCENARIO = Scenario(
    "clarify",
    "a required value is missing; the assistant asks for it before it calls",
    _tools,
    _events,
    (Pattern("U A U C:from_turn_2 A", told=()),),
)
