"""Stories for tools that nobody wrote any for: goals over what they find, make, change and take away.

Find one, look at it, change it, look again, undo it; or make one, change it, take it away. What such stories say later is made of
the tools' own phrases for things that were spoken of before (`follow_up`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

import msgspec

from generator.core.documents import Document
from generator.core.errors import RecipeError
from generator.core.pointers import schema_at
from generator.core.templates import parse_template
from generator.core.toolbox import Toolbox, ToolSpec, arguments_written, restores, unsettles
from generator.core.yaml_values import own_data
from generator.dialogue.from_results.choosing import noun_in_key
from generator.scenarios.goals.goals import Story
from generator.scenarios.goals.read import stories_in
from generator.scenarios.goals.taking import Step, Ways, Written, gets, linked, place_in, steps_of

_WAYS: dict[str, Ways] = {key: tuple(ways) for key, ways in own_data(__file__).items()}
_FEWEST = 3
"""The least number of goals of a story."""
_BESIDE = 2
"""How many things that belong to one are looked at."""
_OLD = ("the new ", "the old ")
"""What stands before the name of a field that is to have its earlier value again."""


def derive_stories(toolbox: Toolbox) -> tuple[Story, ...]:
    """Return the stories that can be made of tools, each of at least three goals.

    Raises:
        RecipeError: when there is none.
    """
    tools = list(toolbox.values())
    found = [*_of_lists(tools), *_of_making(tools)]
    long = [
        (name, goals)
        for name, goals in found
        if len([goal for goal in goals if goal.get("when") != "change.failed"]) >= _FEWEST
    ]
    names = _numbered([name for name, _ in long])
    stories = [{"story": name, "goals": goals, "fewest": _FEWEST} for name, (_, goals) in zip(names, long, strict=True)]
    if not stories:
        raise RecipeError(
            "no story can be made of these tools: one is expected that lists things or makes one, and others that take such a "
            "thing from its result (`links`) to look it up, change it or take it away"
        )
    value = {"stories": stories}
    return stories_in(Document("derived", json.dumps(value), value))


def _of_lists(tools: Sequence[ToolSpec]) -> Iterator[tuple[str, list[Written]]]:
    """Yield stories of one thing in a list: it is looked at, changed, looked at again and put back, with another one beside it."""
    for of in tools:
        begun = _begun(of, "list", tools) if of.looks_up else []
        steps = [step for tool in tools if begun and tool is not of for step in steps_of(tool, of, "list")]
        reading = [step for step in steps if step.tool.looks_up and step.is_plain]
        looks = [step for step in reading if gets(step.tool, of)] or reading
        look = looks[0] if looks else None
        beside = [step for step in reading if step is not look]
        changes = [step for step in steps if not step.tool.looks_up and not _ends(step.tool)]
        for change in changes:
            goals = [*_looked(look, beside, of), *_changed(of, look, change, steps, [*_taken_back(change.tool, tools)])]
            yield _named("change", of, change), [*begun, *goals]
        if look is not None and not changes:
            others = [
                look.goal("other", "list", _WAYS["another"]),
                look.goal("third", "list", _WAYS["another"], share=0.3),
            ]
            yield _named("see", of, look), [*begun, *_looked(look, beside, of), *others]


def _looked(look: Step | None, beside: Sequence[Step], of: ToolSpec) -> list[Written]:
    """Return the goals of who looks at one thing of a list, and at what belongs to it."""
    if look is None:
        return []
    key = place_in(look.tool, of)
    goals = [look.goal("look", "list", _WAYS["asked"])]
    for number, step in enumerate(beside[:_BESIDE] if noun_in_key(key) else ()):
        goals.append(step.goal(f"beside{number + 1}", f"look#/{key}", _WAYS["asked"], share=0.6))
    return goals


def _changed(
    of: ToolSpec, look: Step | None, change: Step, steps: Sequence[Step], drops: Sequence[Written]
) -> list[Written]:
    """Return the goals of who changes a thing of a list, or another one where that is refused, sees what has come of it, and undoes it."""
    place = "" if look is None else place_in(look.tool, of)
    listed = next(link.result for link in change.tool.links if (link.tool, link.argument) == (of.name, change.key))
    shown = (of, f"list#/{listed}") if look is None or not place else (look.tool, f"look#/{place}")
    back = _undone(change, steps, *shown)
    others = [
        step
        for step in steps
        if not (step.tool.looks_up or step.tool is change.tool or _ends(step.tool) or _moves(step.tool))
    ]
    turns = [("change", change, _WAYS["asked"])]
    is_last = (
        back is not None or bool(drops) or _moves(change.tool) or change.is_plain
    )  # "archive it": nothing is left to do
    turns += [("more", step, _WAYS["asked"]) for step in others[:1] if not is_last]
    turns += [("after", look, _WAYS["again"])] if look is not None and _shows(look.tool, change) else []
    turns += [("back", back, _WAYS["instead"])] if back is not None else []
    goals = [*_in_turn(of, f"look#/{place}" if place else "list", turns), *drops]
    goals.append(change.goal("instead", "list", _WAYS["tried"], when="change.failed"))
    if "after" not in [goal["goal"] for goal in goals] and _shows(of, change) and not linked(of):
        say = _WAYS["listed_again"] if "*" in listed else _WAYS["shown_again"]
        goals.append({"goal": "after", "again": "list", "say": [*say], "when": "change.done"})
    if look is not None:
        goals.append(look.goal("other", "list", _WAYS["another"], share=0.5))
    return goals


def _in_turn(of: ToolSpec, source: str, turns: Iterable[tuple[str, Step, Ways]]) -> Iterator[Written]:
    """Yield goals about one and the same thing, each as the one before has shown it, as long as it can be said which one that is.

    Args:
        of: The tool that finds or makes it.
        source: Where the first goal takes it from.
        turns: The goals with the ways in which they are asked for.
    """
    is_named, first = False, ""
    for number, (goal, step, ways) in enumerate(turns):
        if (number and source == "list") or (is_named and not noun_in_key(source.partition("#/")[2])):
            return
        after = {"when": f"{first}.done"} if number else {}
        first = goal if not number else first
        yield step.goal(goal, source, ways, is_named=is_named, **after)
        place = place_in(step.tool, of)
        source = f"{goal}#/{place}" if place else source
        is_named = not place or (is_named and step.tool.looks_up) or not (_alters(step.tool) or step.tool.looks_up)


def _of_making(tools: Sequence[ToolSpec]) -> Iterator[tuple[str, list[Written]]]:
    """Yield stories of a thing that is made, changed, looked at and taken away again."""
    for made in tools:
        key = place_in(made, made) if made.effect is not None and made.effect.kind == "create" else ""
        begun = _begun(made, "make", tools) if key else []
        steps = [step for tool in tools if begun and tool is not made for step in steps_of(tool, made, "make")]
        look = next((step for step in steps if step.is_plain and gets(step.tool, made)), None)
        drop = next((step for step in steps if _ends(step.tool)), None)
        changes = [step for step in steps if not step.tool.looks_up and not _ends(step.tool)]
        for change in [*changes, *([] if changes else [None])]:
            yield _named("make", made, change), [*begun, *_of_made(made, change, look, drop, steps)]


def _of_made(
    made: ToolSpec, change: Step | None, look: Step | None, drop: Step | None, steps: Sequence[Step]
) -> Iterator[Written]:
    """Yield the goals after a thing was made: it is changed, looked at, and put back or taken away."""
    key = f"make#/{place_in(made, made)}"
    back = None if change is None or drop is not None else _undone(change, steps, made, key)
    look = look if look is None or change is None or _shows(look.tool, change) else None
    ways = _WAYS["instead"] if change is not None and _moves(change.tool) else _WAYS["asked"]
    wanted = [
        ("change", change, ways),
        ("look", look, _WAYS["asked"]),
        ("back", back, _WAYS["instead"]),
        ("drop", drop, _WAYS["instead"]),
    ]
    return _in_turn(made, key, [(goal, step, ways) for goal, step, ways in wanted if step is not None])


def _shows(look_up: ToolSpec, change: Step) -> bool:
    """Whether a look-up shows what a change has done: the field that was given a value, or that the thing is there no more."""
    fields = [field for field, name in arguments_written(change.tool).items() if name == change.argument]
    shown = json.dumps(look_up.returns or {})
    return unsettles(change.tool, look_up) and (not change.argument or any(f'"{field}"' in shown for field in fields))


def _alters(tool: ToolSpec) -> bool:
    """Whether a tool changes what it takes, and adds nothing that "it" could mean."""
    return tool.effect is not None and tool.effect.kind in ("update", "move")


def _undone(change: Step, steps: Sequence[Step], before: ToolSpec, key: str) -> Step | None:
    """Return who undoes a change: another tool, or the same one with the values that a result from before has shown beside the key; None where nothing does."""
    back = next((step for step in steps if restores(step.tool, change.tool)), None)
    fields = {name: field for field, name in arguments_written(change.tool).items()}
    given = {slot for text in change.says for slot in parse_template(text).says} - {change.key}
    beside = key[: key.rindex("/") + 1]
    shown = {name: f"{beside}{fields[name]}" for name in sorted(given) if name in fields}
    is_shown = all(schema_at(before.returns, at.partition("#/")[2]) is not None for at in shown.values())
    if back is not None or not given or shown.keys() != given or not is_shown:
        return back
    to, back_to = f" to {{{change.argument}", f" back to {{{change.argument}"
    says = [text.replace(to, back_to) if to in text else text.replace(*_OLD) + " again" for text in change.says]
    return msgspec.structs.replace(change, says=tuple(says), shown={name: f"{at} said" for name, at in shown.items()})


def _taken_back(made: ToolSpec, tools: Sequence[ToolSpec]) -> Iterator[Written]:
    """Yield the goal of who wants what was added taken away again."""
    key = place_in(made, made) if made.effect is not None and made.effect.kind == "create" else ""
    drops = [step for tool in tools if key and _ends(tool) for step in steps_of(tool, made, "change")]
    for drop in drops[:1]:
        yield drop.goal("drop", f"change#/{key}", _WAYS["undone"], when="change.done", share=0.7)


def _begun(tool: ToolSpec, goal: str, tools: Sequence[ToolSpec]) -> list[Written]:
    """Return the goals up to the one of a tool that a story begins with: it alone, or after a list of what it needs; none where it needs more."""
    needed = linked(tool)
    if not needed:
        return [{"goal": goal, "call": tool.name}]
    for of in tools:
        for step in steps_of(tool, of, "first") if of.looks_up and not linked(of) and of is not tool else ():
            if not step.held:
                return [{"goal": "first", "call": of.name}, step.goal(goal, "first", _WAYS["asked"])]
    return []


def _moves(tool: ToolSpec) -> bool:
    return tool.effect is not None and tool.effect.kind == "move"


def _ends(tool: ToolSpec) -> bool:
    return tool.effect is not None and tool.effect.kind == "delete"


def _named(kind: str, of: ToolSpec, step: Step | None) -> str:
    words = [kind, of.name, *([] if step is None else [step.tool.name, step.argument])]
    return re.sub(r"[^a-z0-9]+", "_", "_".join(filter(None, words)).lower())


def _numbered(names: Sequence[str]) -> list[str]:
    """Return names that all differ: those that stand there again have a number (`change_a`, `change_a_2`)."""
    found: list[str] = []
    for name in names:
        ways = chain([name], (f"{name}_{number}" for number in count(2)))
        found.append(next(way for way in ways if way not in found and (way == name or way not in names)))
    return found
