"""Stories for tools that nobody wrote any for: goals over what they find, make, change and take away.

Find one, look at it, change it, look again, undo it; or make one, change it, take it away. What such stories say later is made of
the tools' own phrases for things that were spoken of before (`follow_up`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

import msgspec

from generator.documents import Document
from generator.errors import RecipeError
from generator.from_results.choosing import noun_in_key
from generator.pointers import schema_at
from generator.stories.goals import Story
from generator.stories.read import stories_in
from generator.templates import parse_template
from generator.toolbox import (
    LANGUAGE_OF_NAMES,
    Toolbox,
    ToolSpec,
    arguments_written,
    is_same_kind,
    name_as_words,
    restores,
    unsettles,
)

_FEWEST = 3
"""The least number of goals of a story."""
_ASKED: tuple[str, ...] = ("{}.", "Please {}.", "{}, please.", "[Could|Can] you {}?", "Now {}, please.")
_AGAIN = ("[Please|Now] {} again.", "[Could|Can] you {} [again|once more]?", "{} once more, please.")
_ANOTHER = ("[And|Then] {}, too.", "[Could|Can] you also {}?", "{} as well, please.")
_UNDONE = ("[Actually|On second thought|No, wait], {} again.", "[Hm|Sorry], that was wrong. Please {} again.")
_INSTEAD = ("[Actually|On second thought|No, wait], {}.", "[Hm|Sorry], I've changed my mind. Please {}.")
_TRIED = ("[Then|OK, then|Hm, then] {} instead.", "[Hm|Oh well], then please {}.")
_SHOWN_AGAIN = ("Show it to me again[, please|].", "Can I see it again?", "What does it look like now?")
_LISTED_AGAIN = (
    "Show me the list again[, please|].",
    "Could you show me the list again?",
    "What does the list look like now?",
)
_OLD = ("the new ", "the old ")
"""What stands before the name of a field that is to have its earlier value again."""

_BESIDE = 2
"""How many things that belong to one are looked at."""
_ONE = ("string", "integer", "number")
"""Types of arguments that name one thing."""

_KEYS = ("id", "ids", "gid", "uuid", "key")
"""The last words of arguments that take keys of other things, which nobody changes by heart."""
_VAGUE = ("assign", "change", "configure", "edit", "modify", "move", "set", "transition", "update")
"""Verbs that say nothing where nothing is said beside the thing."""
_OPEN = re.compile(r"\boptional|\b(a|an|another|some) (user|issue|item|file)\b")
"""Words of phrases that leave open what is meant."""

Ways = tuple[str, ...]
Written = dict[str, Any]
"""A goal as a file has it."""


class Step(msgspec.Struct, frozen=True):
    """A tool that takes one thing, and how it is asked for."""

    tool: ToolSpec
    key: str
    """The argument that names the thing."""
    says: tuple[str, ...]
    """Verb phrases with the thing and all else that is needed: "rename {task_id} to {name:quoted}"."""
    held: dict[str, str] = {}
    """Arguments that stay as they were in an earlier goal, with that: `list.owner`."""
    argument: str = ""
    """The one with the new value, where the phrases change something."""
    shown: dict[str, str] = {}
    """The argument that gets its earlier value again, with the place of that."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing needs to be said beside the thing."""
        return {*self.tool.required} <= {self.key, *self.held}

    def goal(self, goal: str, source: str, ways: Ways, *, is_named: bool = False, **more: Any) -> Written:
        """Return the goal that asks for it, of a thing from a source; `is_named`: "it" could mean something else."""
        noun = noun_in_key(source.partition("#/")[2])
        says = self.says if "#/" not in source else [self._of_one(text, noun, is_named=is_named) for text in self.says]
        say = [way.format(text) for way in ways for text in says]
        say = [text[0].upper() + text[1:] for text in say]
        return {
            "goal": goal,
            "call": self.tool.name,
            "with": {self.key: source, **self.held, **self.shown},
            "say": say,
            **more,
        }

    def _of_one(self, text: str, noun: str, *, is_named: bool) -> str:
        """Return a phrase with words that suit the one thing spoken of: "look it up", "the price of that order"."""
        thing = f"{{{self.key}}}"
        text = re.sub(rf"^(\w+) up {re.escape(thing)}$", rf"\1 {thing} up", text)
        said = thing if is_named else f"of {thing}"
        return text.replace(said, said.replace("}", f"|that {noun}}}")) if noun else text


def derive_stories(toolbox: Toolbox) -> tuple[Story, ...]:
    """Return the stories that can be made of tools, each of at least three goals.

    Raises:
        RecipeError: when there is none.
    """
    tools = [spec for spec in toolbox.values() if spec.language == LANGUAGE_OF_NAMES]
    found = [*_of_lists(tools), *_of_making(tools)]
    stories = [
        {"story": name, "goals": goals, "fewest": _FEWEST}
        for name, goals in found
        if len([goal for goal in goals if goal.get("when") != "change.failed"]) >= _FEWEST
    ]
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
        steps = [step for tool in tools if begun and tool is not of for step in _steps(tool, of, "list")]
        reading = [step for step in steps if step.tool.looks_up and step.is_plain]
        looks = [step for step in reading if _is_get(step.tool, of)] or reading
        look = looks[0] if looks else None
        beside = [step for step in reading if step is not look]
        changes = [step for step in steps if not step.tool.looks_up and not _ends(step.tool)]
        for change in changes:
            goals = [*_looked(look, beside, of), *_changed(of, look, change, steps, [*_taken_back(change.tool, tools)])]
            yield _named("change", of, change), [*begun, *goals]
        if look is not None and not changes:
            others = [look.goal("other", "list", _ANOTHER), look.goal("third", "list", _ANOTHER, share=0.3)]
            yield _named("see", of, look), [*begun, *_looked(look, beside, of), *others]


def _looked(look: Step | None, beside: Sequence[Step], of: ToolSpec) -> list[Written]:
    """Return the goals of who looks at one thing of a list, and at what belongs to it."""
    if look is None:
        return []
    key = _place(look.tool, of)
    goals = [look.goal("look", "list", _ASKED)]
    for number, step in enumerate(beside[:_BESIDE] if noun_in_key(key) else ()):
        goals.append(step.goal(f"beside{number + 1}", f"look#/{key}", _ASKED, share=0.6))
    return goals


def _changed(
    of: ToolSpec, look: Step | None, change: Step, steps: Sequence[Step], drops: Sequence[Written]
) -> list[Written]:
    """Return the goals of who changes a thing of a list, or another one where that is refused, sees what has come of it, and undoes it."""
    place = "" if look is None else _place(look.tool, of)
    listed = next(link.result for link in change.tool.links if (link.tool, link.argument) == (of.name, change.key))
    shown = (of, f"list#/{listed}") if look is None or not place else (look.tool, f"look#/{place}")
    back = _undone(change, steps, *shown)
    others = [step for step in steps if not (step.tool.looks_up or step.tool is change.tool or _ends(step.tool))]
    turns = [("change", change, _ASKED)]
    turns += [("more", step, _ASKED) for step in others[:1] if back is None and not drops and not _moves(change.tool)]
    turns += [("after", look, _AGAIN)] if look is not None and unsettles(change.tool, look.tool) else []
    turns += [("back", back, _INSTEAD)] if back is not None else []
    goals = [*_in_turn(of, f"look#/{place}" if place else "list", turns), *drops]
    goals.append(change.goal("instead", "list", _TRIED, when="change.failed"))
    if "after" not in [goal["goal"] for goal in goals] and unsettles(change.tool, of) and not _linked(of):
        say = _LISTED_AGAIN if "*" in listed else _SHOWN_AGAIN
        goals.append({"goal": "after", "again": "list", "say": [*say], "when": "change.done"})
    if look is not None:
        goals.append(look.goal("other", "list", _ANOTHER, share=0.5))
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
        place = _place(step.tool, of)
        source = f"{goal}#/{place}" if place else source
        is_named = not place or (is_named and step.tool.looks_up) or not (_alters(step.tool) or step.tool.looks_up)


def _of_making(tools: Sequence[ToolSpec]) -> Iterator[tuple[str, list[Written]]]:
    """Yield stories of a thing that is made, changed, looked at and taken away again."""
    for made in tools:
        key = _place(made, made) if made.effect is not None and made.effect.kind == "create" else ""
        begun = _begun(made, "make", tools) if key else []
        steps = [step for tool in tools if begun and tool is not made for step in _steps(tool, made, "make")]
        look = next((step for step in steps if step.is_plain and _is_get(step.tool, made)), None)
        drop = next((step for step in steps if _ends(step.tool)), None)
        changes = [step for step in steps if not step.tool.looks_up and not _ends(step.tool)]
        for change in [*changes, *([] if changes else [None])]:
            yield _named("make", made, change), [*begun, *_of_made(made, change, look, drop, steps)]


def _of_made(
    made: ToolSpec, change: Step | None, look: Step | None, drop: Step | None, steps: Sequence[Step]
) -> Iterator[Written]:
    """Yield the goals after a thing was made: it is changed, looked at, and put back or taken away."""
    key = f"make#/{_place(made, made)}"
    back = None if change is None or drop is not None else _undone(change, steps, made, key)
    wanted = [("change", change, _ASKED), ("look", look, _ASKED), ("back", back, _INSTEAD), ("drop", drop, _INSTEAD)]
    return _in_turn(made, key, [(goal, step, ways) for goal, step, ways in wanted if step is not None])


def _alters(tool: ToolSpec) -> bool:
    """Whether a tool changes what it takes, and adds nothing that "it" could mean."""
    return tool.effect is not None and tool.effect.kind in ("update", "move")


def _undone(change: Step, steps: Sequence[Step], before: ToolSpec, key: str) -> Step | None:
    """Return who undoes a change: another tool, or the same one with the value that a result from before has shown beside the key; None where nothing does."""
    back = next((step for step in steps if restores(step.tool, change.tool)), None)
    field = next((field for field, name in arguments_written(change.tool).items() if name == change.argument), "")
    shown = f"{key[: key.rindex('/') + 1]}{field}"
    if back is not None or not field or schema_at(before.returns, shown.partition("#/")[2]) is None:
        return back
    to, back_to = f" to {{{change.argument}", f" back to {{{change.argument}"
    says = [text.replace(to, back_to) if to in text else text.replace(*_OLD) + " again" for text in change.says]
    return msgspec.structs.replace(change, says=tuple(says), shown={change.argument: f"{shown} said"})


def _taken_back(made: ToolSpec, tools: Sequence[ToolSpec]) -> Iterator[Written]:
    """Yield the goal of who wants what was added taken away again."""
    key = _place(made, made) if made.effect is not None and made.effect.kind == "create" else ""
    drops = [step for tool in tools if key and _ends(tool) for step in _steps(tool, made, "change")]
    for drop in drops[:1]:
        yield drop.goal("drop", f"change#/{key}", _UNDONE, when="change.done", share=0.7)


def _begun(tool: ToolSpec, goal: str, tools: Sequence[ToolSpec]) -> list[Written]:
    """Return the goals up to the one of a tool that a story begins with: it alone, or after a list of what it needs; none where it needs more."""
    needed = _linked(tool)
    if not needed:
        return [{"goal": goal, "call": tool.name}]
    for of in tools:
        for step in _steps(tool, of, "first") if of.looks_up and not _linked(of) and of is not tool else ():
            if not step.held:
                return [{"goal": "first", "call": of.name}, step.goal(goal, "first", _ASKED)]
    return []


# --- what tools take ---


def _steps(tool: ToolSpec, of: ToolSpec, goal: str) -> Iterator[Step]:
    """Yield the ways in which a tool takes one of the things that another one, called for a goal, finds or makes."""
    key = _key_of(tool, of)
    kept = [name for name in tool.required if name != key and name in tool.context and name in of.required]
    held = {name: f"{goal}.{name}" for name in kept}
    if not key or not _linked(tool) <= {key, *held} or not _linked(of).isdisjoint(held):
        return
    needed, by_argument = {*tool.required} - {*held}, dict[str, list[str]]()
    for text in tool.phrases.follow_up:
        whole = _with_all(text, needed, tool)
        slots = parse_template(whole).says
        given = sorted(slots - {key})
        is_change = tool.effect is not None and tool.effect.kind == "update"
        if _is_clear(text, key) and needed <= slots and len(slots - needed) <= 1 and (given or not is_change):
            argument = next(iter(slots - needed), given[0] if len(given) == 1 else "")
            by_argument.setdefault("" if tool.looks_up else argument, []).append(whole)
    for argument, texts in by_argument.items():
        is_key = name_as_words(argument).rpartition(" ")[2] in _KEYS
        if not (tool.looks_up and argument) and not is_key and tool.say.get(argument) != "never":
            yield Step(tool, key, tuple(texts), held, argument)


def _is_clear(text: str, key: str) -> bool:
    """Whether a phrase names a thing by its key alone, so that "it" and "the first one" can stand there: "to {task_id}", not "to task {task_id}"."""
    before, found, _ = text.partition(f"{{{key}}}")
    last = before.split()[-1] if before.split() else ""
    is_vague = text in [f"{verb} {{{key}}}" for verb in _VAGUE]
    return bool(found) and last not in ("or", *name_as_words(key).split()) and not is_vague and not _OPEN.search(text)


def _with_all(text: str, needed: Set[str], tool: ToolSpec) -> str:
    """Return a phrase with the frames of what is needed and not said in it, where there are some."""
    for slot in sorted(needed - parse_template(text).says, key=[*tool.required].index):
        frames = tool.phrases.slots[slot].frames if slot in tool.phrases.slots else ()
        text = next((f"{text} {one}" for one in frames if one[0] not in ",.{" and not one[0].isupper()), text)
    return text


def _key_of(tool: ToolSpec, of: ToolSpec) -> str:
    """Return the required argument of a tool that names one of the things which another one finds or makes; empty where there is not one."""
    linked = {link.argument for link in tool.links if link.tool == of.name}
    if not linked and of.effect is not None and is_same_kind(tool, of) and tool.effect is not None:
        key = of.declared.entities[of.effect.entity].key
        linked = {argument for argument, field in tool.effect.by.items() if field == key and of.effect.kind == "create"}
    keys = [key for key in linked if key in tool.required and tool.properties[key].get("type") in _ONE]
    return keys[0] if len(keys) == 1 else ""


def _linked(tool: ToolSpec) -> set[str]:
    """Return the required arguments that come from results."""
    return {link.argument for link in tool.links if link.argument.split("/")[0] in tool.required}


def _place(tool: ToolSpec, of: ToolSpec) -> str:
    """Return where the result of a tool for one of the things that another one finds or makes has its key; empty where it has none."""
    effect = tool.effect
    if (
        effect is None
        or not is_same_kind(tool, of)
        or (effect.kind == "create" and tool is not of)
        or effect.kind == "find"
    ):
        return ""
    names = [tool.declared.entities[effect.entity].key]
    names += [link.result.rpartition("/")[2] for link in tool.links if link.tool == of.name]
    places = ["/".join(filter(None, [effect.at.strip("/"), name])) for name in names]
    return next((at for at in places if schema_at(tool.returns, at) is not None), "")


def _is_get(tool: ToolSpec, of: ToolSpec) -> bool:
    """Whether a tool gets what another one finds or makes."""
    return tool.effect is not None and tool.effect.kind == "get" and is_same_kind(tool, of)


def _moves(tool: ToolSpec) -> bool:
    return tool.effect is not None and tool.effect.kind == "move"


def _ends(tool: ToolSpec) -> bool:
    return tool.effect is not None and tool.effect.kind == "delete"


def _named(kind: str, of: ToolSpec, step: Step | None) -> str:
    words = [kind, of.name, *([] if step is None else [step.tool.name, step.argument])]
    return re.sub(r"\W+", "_", "_".join(filter(None, words))).lower()
