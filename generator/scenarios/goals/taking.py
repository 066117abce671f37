"""What a tool takes of what another one finds or makes, and how it is asked for once that thing has been spoken of."""

import re
from collections.abc import Collection, Iterator, Set
from typing import Any

import msgspec

from generator.core.pointers import schema_at
from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec, is_same_kind, name_as_words
from generator.core.yaml_values import own_data
from generator.dialogue.from_results.choosing import noun_in_key

_WORDS: dict[str, frozenset[str]] = {key: frozenset(words) for key, words in own_data(__file__).items()}
_OPEN = re.compile(rf"\b({'|'.join(sorted(_WORDS['open']))})\b")
_ONE = ("string", "integer", "number")
"""Types of arguments that name one thing."""
Ways = tuple[str, ...]
"""Ways to ask for something, with `{}` for the verb phrase."""
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
    noun: str = ""
    """What a list that it is taken from has, as the name of its key tells."""
    shown: dict[str, str] = {}
    """The argument that gets its earlier value again, with the place of that."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing needs to be said beside the thing."""
        return {*self.tool.required} <= {self.key, *self.held}

    def goal(self, goal: str, source: str, ways: Ways, *, is_named: bool = False, **more: Any) -> Written:
        """Return the goal that asks for it, of a thing from a source; `is_named`: "it" could mean something else."""
        noun = noun_in_key(source.partition("#/")[2]) if "#/" in source else self.noun
        says = [self._of_one(text, noun, is_named=is_named, is_listed="#/" not in source) for text in self.says]
        say = [way.format(text) for way in ways for text in says]
        say = [text[0].upper() + text[1:] for text in say]
        return {
            "goal": goal,
            "call": self.tool.name,
            "with": {self.key: source, **self.held, **self.shown},
            "say": say,
            **more,
        }

    def _of_one(self, text: str, noun: str, *, is_named: bool, is_listed: bool) -> str:
        """Return a phrase with words that suit the one thing spoken of: "look it up", "the price of that order"."""
        thing = f"{{{self.key}}}"
        if not is_listed:
            text = re.sub(rf"^(\w+) up {re.escape(thing)}", rf"\1 {thing} up", text)
            text = re.sub(rf"^(\w+) me {re.escape(thing)}", rf"\1 {thing} to me", text)
        said = thing if is_named else f"of {thing}"
        return text.replace(said, said.replace("}", f"|that {noun}}}")) if noun else text


def steps_of(tool: ToolSpec, of: ToolSpec, goal: str) -> Iterator[Step]:
    """Yield the ways in which a tool takes one of the things that another one, called for a goal, finds or makes."""
    key = _key_of(tool, of)
    kept = [name for name in tool.required if name != key and name in tool.context and name in of.required]
    held = {name: f"{goal}.{name}" for name in kept}
    if not key or not linked(tool) <= {key, *held} or not linked(of).isdisjoint(held):
        return
    if _is_unknown(tool, key, held):
        return
    needed, by_argument = {*tool.required} - {*held}, dict[str, list[str]]()
    for text in tool.phrases.follow_up:
        whole = _with_all(text, needed, tool)
        slots = parse_template(whole).says
        given = sorted(slots - {key})
        is_change = tool.effect is not None and tool.effect.kind == "update"
        if is_clear(text, key) and needed <= slots and len(slots - needed) <= 1 and (given or not is_change):
            argument = next(iter(slots - needed), given[0] if len(given) == 1 else "")
            by_argument.setdefault("" if tool.looks_up else argument, []).append(whole)
    for argument, found in by_argument.items():
        texts = [text for text in found if f"{{{key}}} with " not in text] or found
        is_key = name_as_words(argument).rpartition(" ")[2] in _WORDS["keys"]
        if not (tool.looks_up and argument) and not is_key and tool.say.get(argument) != "never":
            listed = next((link.result for link in tool.links if (link.tool, link.argument) == (of.name, key)), "")
            yield Step(tool, key, tuple(texts), held, argument, noun_in_key(listed))


def is_clear(text: str, key: str) -> bool:
    """Whether a phrase names a thing by its key alone, so that "it" and "the first one" can stand there: "to {task_id}", not "to task {task_id}"."""
    before, found, _ = text.partition(f"{{{key}}}")
    words = before.split()
    is_noun = len(words) > 1 and words[-1] not in _WORDS["before"] and not {"what", "which"} & {*words}
    is_vague = text in [f"{verb} {{{key}}}" for verb in _WORDS["vague"]]
    return bool(found) and bool(words) and not is_noun and not is_vague and not _OPEN.search(text)


def _is_unknown(tool: ToolSpec, key: str, held: Collection[str]) -> bool:
    """Whether a tool does something with a thing that has states, and nothing is known of the state that follows: "pause it"."""
    effect = tool.effect
    if effect is None or effect.kind != "act" or effect.set or effect.entity not in tool.declared.entities:
        return False
    return {*tool.required} <= {key, *held} and bool(tool.declared.entities[effect.entity].states)


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


def linked(tool: ToolSpec) -> set[str]:
    """Return the required arguments that come from results."""
    return {link.argument for link in tool.links if link.argument.split("/")[0] in tool.required}


def place_in(tool: ToolSpec, of: ToolSpec) -> str:
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


def gets(tool: ToolSpec, of: ToolSpec) -> bool:
    """Whether a tool gets what another one finds or makes."""
    return tool.effect is not None and tool.effect.kind == "get" and is_same_kind(tool, of)
