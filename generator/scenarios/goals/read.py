"""Read story files: every fault is told with file, line and the nearest name."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

from generator.core.declared import read
from generator.core.documents import Document, Place, nearest, read_document, shown
from generator.core.entities import Entity
from generator.core.errors import RecipeError
from generator.core.pointers import parts_of_object, schema_at
from generator.core.templates import Slot
from generator.core.toolbox import Toolbox, ToolSpec
from generator.formats.rules.schemas import accepts
from generator.scenarios.goals.goals import (
    NOT_YET,
    Bias,
    Goal,
    Source,
    Story,
    StoryFile,
    Test,
    Want,
    sentence_of,
    ways_of,
)
from generator.world.expressions import FAULTS, ReadableNames, compile_expression

_SOURCE = re.compile(
    r"(?P<goal>\w+)(?:\.(?P<argument>[\w/]+)|#/(?P<at>[^\s#]+))?(?: (?P<by>first|last|only|name|(?:min|max) \w+))?"
    r"(?: (?P<op>half|double|third|said|days -?[0-9]+))?"
)
SAID = "said"
"""The operation of a source whose value the user says as it stands there."""
ACCOUNT = "account"
"""What expressions call the user's account, as the user names it when a clause has it asked for: `account.email`."""
_SAYS = "a goal ('trains', 'trains min price'), its argument ('trains.date') or a place in its result ('booking#/booking_id')"


def read_stories(files: Iterable[Path]) -> tuple[Story, ...]:
    """Return the stories of some files; raises RecipeError with `file:line: path: what is wrong`."""
    found: dict[str, Story] = {}
    for file in files:
        document = read_document(file, RecipeError)
        for at, story in enumerate(read(StoryFile, document, document.value, (), RecipeError).stories):
            where = document.at(("stories", at))
            if story.story in found:
                raise RecipeError(f"{where}: there is another story {story.story!r}")
            goals: list[Goal] = []
            for number, goal in enumerate(story.goals):
                goals.append(_goal(goal, document, ("stories", at, "goals", number), goals))
            world = [
                _bias(one, document, ("stories", at, "world", place), goals) for place, one in enumerate(story.world)
            ]
            found[story.story] = msgspec.structs.replace(story, goals=tuple(goals), world=tuple(world), where=where)
    return tuple(found.values())


def _goal(goal: Goal, document: Document, place: Place, before: list[Goal]) -> Goal:
    """Return a goal with its sources and expressions read."""
    known = names_of(before)
    where = document.at(place)
    if goal.goal in (*known, ACCOUNT):
        raise RecipeError(f"{where}: there is another goal {goal.goal!r}")
    if goal.again:
        _check_among(goal.again, known, f"{where}: again: no goal before is called")
    if bool(goal.wants) == bool(goal.call or goal.again):
        raise RecipeError(f"{where}: a goal has a `call`, or `wants`, or is one `again`")
    if goal.empty and goal.wants:
        raise RecipeError(f"{where}: empty: a goal with `wants` cannot find nothing")
    if goal.empty and not goal.say:
        raise RecipeError(f"{where}: empty: a sentence (`say`) is expected of a search that finds nothing")
    first = next((one for one in before[::-1] if goal.again in (one.goal, one.every[-1].call)), None)
    if first is not None:
        goal = msgspec.structs.replace(goal, call=first.every[-1].call)
        found = [slot for slot, source in first.every[-1].sources.items() if not source.argument]
        if lost := [slot for slot in found if slot not in goal.written]:
            raise RecipeError(
                f"{where}: again: {lost[0]} of {goal.again!r} comes from a result, so `with` has to name it"
            )
    wants = [_want(want, document, (*place, "wants", at), known, goal.wants[:at]) for at, want in enumerate(goal.wants)]
    read_goal = _want(goal, document, place, known, ())
    assert isinstance(read_goal, Goal)
    test = _compiled(goal.when, known, f"{where}: when") if goal.when else None
    return msgspec.structs.replace(read_goal, wants=tuple(wants), test=test)


def _bias(bias: Bias, document: Document, place: Place, goals: list[Goal]) -> Bias:
    """Return what there is in a story's world with its expressions read."""
    where, named = document.at(place), [goal.goal for goal in goals]
    if bias.after:
        _check_among(bias.after, named, f"{where}: after: there is no goal")
    known = names_of(goals[: named.index(bias.after) + 1] if bias.after else ())
    computed = {
        field: _compiled(value[1:].strip(), known, f"{where}: has.{field}")
        for field, value in bias.has.items()
        if isinstance(value, str) and value.startswith("=")
    }
    return msgspec.structs.replace(bias, where=where, computed=computed)


def names_of(goals: Iterable[Goal]) -> tuple[str, ...]:
    """Return what later goals can name: the goals, and the tools that they call."""
    return tuple(dict.fromkeys(name for goal in goals for name in (goal.goal, *[one.call for one in goal.every])))


def _want(want: Want, document: Document, place: Place, known: Collection[str], beside: Iterable[Want]) -> Want:
    """Return a want with its sources and expressions read."""
    where = document.at(place)
    if want.say and not want.call:
        raise RecipeError(f"{where}: a sentence needs the `call` that it asks for")
    given = [*want.written, *[name for name, value in want.said.items() if not isinstance(value, list)]]
    for way in every_way(want):
        _check_form(way, given, f"{where}: say: {shown(way)}")
    names = (*known, *[one.call for one in beside])
    sources = {slot: _source(text, f"{where}: with.{slot}") for slot, text in want.written.items()}
    for slot, source in sources.items():
        if source.argument or source.at:
            _check_among(source.goal, names, f"{where}: with.{slot}: no goal before is called")
    computed = {
        slot: _compiled(value[1:].strip(), names, f"{where}: said.{slot}")
        for slot, value in want.said.items()
        if isinstance(value, str) and value.startswith("=")
    }
    return msgspec.structs.replace(want, sources=sources, computed=computed, where=where)


def every_way(want: Want) -> list[str]:
    """Return a want's sentences in all ways that their choices allow."""
    return [way for text in want.say for way in ways_of(text)]


def _check_form(text: str, given: Collection[str], where: str) -> None:
    try:
        form, words = sentence_of(text)
    except ValueError as wrong:
        raise RecipeError(f"{where}: {wrong}") from None
    if "  " in form.text:
        raise RecipeError(f"{where}: two spaces stand side by side")
    if not (form.text[:1].isupper() or form.text.startswith("{")) or form.text[-1] not in ".?!":
        raise RecipeError(f"{where}: a sentence begins with a capital letter and ends with a stop")
    for slot in words:
        _check_among(slot, given, f"{where}: neither `with` nor `said` has one value for")


def _source(text: str, where: str) -> Source:
    match = _SOURCE.fullmatch(text)
    if match is None:
        raise RecipeError(f"{where}: {_SAYS} is expected, not {shown(text)}")
    return Source(match["goal"], match["argument"] or "", match["at"] or "", match["op"] or "", match["by"] or "")


def _compiled(text: str, names: Collection[str], where: str) -> Test:
    """Return the function of an expression over what is known of goals."""
    try:
        expression, reads = compile_expression(text, dotted=frozenset({*names, ACCOUNT}))
    except ValueError as wrong:
        raise RecipeError(f"{where}: {shown(text)}: {wrong}") from None
    for name in sorted(reads.properties):
        _check_among(name, (*names, "today", ACCOUNT), f"{where}: {shown(text)}: nothing has the name")

    def test(known: dict[str, Any]) -> Any:
        try:
            return expression(ReadableNames(known))
        except FAULTS:
            return None

    return test


def _check_among(name: str, known: Collection[str], what: str) -> None:
    if name not in known:
        raise RecipeError(f"{what} {name!r}{nearest(name, known)}")


# --- against the tools ---


def check_stories(stories: Iterable[Story], toolbox: Toolbox) -> None:
    """Raise RecipeError for tools, arguments, fields and links that there are not."""
    for story in stories:
        called: dict[str, str] = {}
        for goal in story.goals:
            _check_reads(goal.when, f"{goal.where}: when", toolbox, called)
            for want in goal.every:
                for slot in want.computed:
                    _check_reads(want.said[slot][1:], f"{want.where}: said.{slot}", toolbox, called)
                _check_among(want.call, toolbox, f"{want.where}: call: there is no tool")
                _check_want(want, toolbox, called)
                called[want.call] = want.call
            called[goal.goal] = goal.every[-1].call
            effect = toolbox[goal.every[-1].call].effect
            if goal.empty and (effect is None or effect.kind != "find"):
                raise RecipeError(f"{goal.where}: empty: {goal.every[-1].call} is no search")
        for bias in story.world:
            _check_bias(bias, story, toolbox)


def _check_reads(text: str, where: str, toolbox: Toolbox, called: dict[str, str]) -> None:
    """What an expression reads of goals is an argument or field of the result of the tool that they call, or what came of them."""
    reads = compile_expression(text.strip(), dotted=frozenset({*called, ACCOUNT}))[1] if text else None
    for name, part in sorted(reads.parts) if reads else ():
        spec = toolbox.get(called.get(name, ""))
        fields = parts_of_object(spec.returns)[0] if spec is not None else {}
        if spec is not None and fields:
            _check_among(
                part, {**NOT_YET, **spec.properties, **fields}, f"{where}: {shown(text.strip())}: {name} has no"
            )


def _check_bias(bias: Bias, story: Story, toolbox: Toolbox) -> None:
    entity = entity_of(bias, story, toolbox)
    known = sorted({name for tool in story.tools for name in toolbox[tool].declared.entities})
    if entity is None:
        raise RecipeError(f"{bias.where}: thing: no tool of the story has {bias.thing!r}{nearest(bias.thing, known)}")
    for field, value in bias.has.items():
        _check_among(field, entity.fields, f"{bias.where}: has: {bias.thing} has no field")
        states, schema = entity.states.get(field), entity.fields[field]
        for one in [] if field in bias.computed else value if isinstance(value, list) else [value]:
            if one not in states if states else not accepts(schema, one):
                raise RecipeError(
                    f"{bias.where}: has.{field}: {one!r} is no value of it{nearest(str(one), states or ())}"
                )


def entity_of(bias: Bias, story: Story, toolbox: Toolbox) -> Entity | None:
    """Return the kind of entity that a story's world has; None where no tool of the story knows it."""
    kinds = [toolbox[tool].declared.entities.get(bias.thing) for tool in sorted(story.tools)]
    return next(filter(None, kinds), None)


def _check_want(want: Want, toolbox: Toolbox, called: dict[str, str]) -> None:
    spec, parameters = toolbox[want.call], toolbox[want.call].tool.parameters
    sources = want.sources.values()
    said = [slot for way in every_way(want) for slot in sorted(sentence_of(way)[0].needs)]
    for slot in [*said, *want.said, *want.asked, *want.written, *filter(None, [want.vary])]:
        if schema_at(parameters, slot) is None:
            raise RecipeError(f"{want.where}: {spec.name} has no argument {slot!r}{nearest(slot, spec.properties)}")
    if not want.say and (want.said or want.vary or getattr(want, "again", "") or any(one.argument for one in sources)):
        raise RecipeError(f"{want.where}: say: a sentence is expected where a value is given or holds on")
    _check_values(want, spec)
    for field in want.tell:
        _check_among(field, (spec.returns or {}).get("properties", {}), f"{want.where}: tell: {spec.name} returns no")
    for way in every_way(want):
        _check_sentence(way, want, spec)
    for slot, source in want.sources.items():
        if not source.argument:
            _check_source(slot, source, want, toolbox, called)
            _check_preferences(slot, source, want, toolbox, called)


def _check_values(want: Want, spec: ToolSpec) -> None:
    if want.vary and want.vary not in spec.phrases.vary:
        raise RecipeError(
            f"{want.where}: vary: {spec.name} has no words for several values of {want.vary!r} (`phrases.vary`)"
        )
    for key, given in (("said", want.said), ("asked", want.asked)):
        for slot, value in given.items():
            values = [] if slot in want.computed else value if isinstance(value, list) else [value]
            refused = [one for one in values if not accepts(schema_at(spec.tool.parameters, slot), one)]
            if refused:
                raise RecipeError(f"{want.where}: {key}.{slot}: {spec.name} does not take {refused[0]!r}")


def _check_source(slot: str, source: Source, want: Want, toolbox: Toolbox, called: dict[str, str]) -> None:
    tool, spec = called.get(source.goal, source.goal), toolbox[want.call]
    _check_among(tool, {*called, *toolbox}, f"{want.where}: with.{slot}: there is neither a goal nor a tool")
    if place_of(source, slot, toolbox[tool], spec) is None:
        links = ", ".join(f"{link.argument} from {link.tool}" for link in spec.links) or "nothing"
        what = f"{tool} has no {source.at!r}" if source.at else f"no link leads from {tool} to it; there is {links}"
        raise RecipeError(f"{want.where}: with.{slot}: {what}")


def _check_preferences(slot: str, source: Source, want: Want, toolbox: Toolbox, called: dict[str, str]) -> None:
    of = toolbox[called.get(source.goal, source.goal)]
    elements = (place_of(source, slot, of, toolbox[want.call]) or "").partition("/*")[0]
    for by in want.prefers:
        field = by.split(" ")[1]
        if schema_at(of.returns or {}, f"{elements}/*/{field}") is None:
            raise RecipeError(f"{want.where}: prefers: what {of.name} finds has no {field!r}")


def _check_sentence(text: str, want: Want, spec: ToolSpec) -> None:
    segments = sentence_of(text)[0].segments
    twice = [one.slot for one in segments if isinstance(one, Slot)]
    if len(twice) > len({*twice}):
        raise RecipeError(f"{want.where}: say: {shown(text)}: an argument stands there twice")
    silent = [slot for slot, source in want.sources.items() if not source.argument and slot not in twice]
    if silent:
        raise RecipeError(f"{want.where}: say: {shown(text)}: nothing says which {silent[0]} of {spec.name} is meant")


def place_of(source: Source, slot: str, of: ToolSpec, to: ToolSpec) -> str | None:
    """Return the place in a tool's result from which an argument of another one is taken; None where there is none."""
    if source.at:
        pattern = "/".join("*" if step.isdecimal() else step for step in source.at.split("/"))
        return source.at if schema_at(of.returns or {}, pattern) is not None else None
    return next((link.result for link in to.links if link.tool == of.name and link.argument == slot), None)
