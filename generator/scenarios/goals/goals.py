"""A story: goals in order, each what the user says with one message, what is wanted with it, and when."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from random import Random
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from generator.core.forms import UNWRITTEN, Key, Texts
from generator.core.seeds import stream_seed
from generator.core.templates import Template, parse_template
from generator.core.toolbox import Toolbox

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
Preference = Annotated[str, Meta(pattern=r"^(min|max|some) \w+$")]
Share = Annotated[float, Meta(gt=0, le=1)]
Part = Annotated[float, Meta(ge=0, le=1)]
Test = Callable[[dict[str, Any]], Any]
"""Takes what is known of each goal, by name; returns None where a value is missing."""


NOT_YET = {"done": False, "refused": False, "left": False, "failed": False, "empty": False}
"""What expressions can read of a goal beside arguments and result, as it is before anything has come of it."""


class Source(msgspec.Struct, frozen=True):
    """Where an argument comes from that the user does not say."""

    goal: str
    """The goal whose result or argument it is, or the tool of a search that nobody asks for."""
    argument: str = ""
    """The argument of that goal that holds on; empty: the result."""
    at: str = ""
    """Pointer into the result, without its first slash; empty: where the tool's `links` say."""
    op: str = ""
    """What is computed from it: `half`, `double`, `third`, or `days -1`; `said`: the user says it as it stands there."""
    by: str = ""
    """How one element of a list is singled out (`min price`; `name`: by what it is called); empty: in any way that the tool's phrases have."""


class Want(msgspec.Struct, frozen=True, kw_only=True):
    """One call, or several of a tool, and the sentence with which the user wants it."""

    say: Texts = ()
    """The sentence, or several ways to say it, with choices (`[Which|What] trains are there?`). `{city}` is an argument; one that no way mentions is asked for where it is required.
    `{city|there}` are words for one that holds on from an earlier goal, `{reason|It comes too late}` for one of `said`."""
    call: str = ""
    """The tool."""
    said: dict[str, Any] = {}
    """Argument → its value, a list of values of which one is drawn, or an expression (`= add_days(trip.date, 2)`)."""
    asked: dict[str, Any] = {}
    """Argument → what the user answers where a clause of the policy has it asked for: a value, or a list of which one is drawn."""
    written: Annotated[dict[str, str], Key("with")] = {}
    """Argument → where it comes from: a goal (`trains`, `trains min price`, `cards name`), its argument (`trains.date`), or a place in its result
    (`booking#/booking_id`, `offer#/total half`). A tool's name stands for the last goal that has called it."""
    prefers: tuple[Preference, ...] = ()
    """What people look at when they choose from a list without saying so (`max rating`, `min price`): nothing is chosen that
    another one beats in all of it. `some refills_left`: nothing is chosen that has none of it."""
    vary: str = ""
    """The argument in which several calls differ."""
    times: Annotated[tuple[int, ...], Meta(min_length=1)] = (2, 3)
    """How many calls there are then: numbers of which one is drawn."""
    each: bool = False
    """Whether a call is made for each element of the list that an argument comes from."""
    tell: tuple[str, ...] = ()
    """Fields of the result that the answer must hold, because they are what is asked for."""
    unasked: bool = False
    """Whether it is a look-up that the user only gives the words for: what it finds is not told."""
    where: Annotated[str, UNWRITTEN] = ""
    """`file:line`, for messages."""
    sources: Annotated[dict[str, Source], UNWRITTEN] = {}
    computed: Annotated[dict[str, Test], UNWRITTEN] = {}
    """The expressions of `said`, compiled."""


class Goal(Want, frozen=True, kw_only=True):
    """What is wanted with one message: one thing, or several (`wants`)."""

    goal: Name
    wants: tuple[Want, ...] = ()
    again: str = ""
    """An earlier goal, or a tool for the last one that calls it, that is wanted again with other values: all that the sentence does not say stays as it was."""
    when: str = ""
    """On what it depends: an expression of the goals before (`ticket.price > 200`, `cancel.refused`)."""
    share: Share = 1.0
    """In how many rows it is wanted, if it can be."""
    empty: Part = 0.0
    """In how many rows it is a search that finds nothing; goals that take something from what it finds are not wanted then."""
    test: Annotated[Test | None, UNWRITTEN] = None
    """`when`, compiled."""

    @property
    def every(self) -> tuple[Want, ...]:
        """What is wanted, in order."""
        return self.wants or (self,)


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that there is in the world of a story's rows, so that what it tells happens more often than by chance."""

    thing: Name
    """A kind of entity of the story's tools."""
    has: dict[str, Any]
    """Field → its value, a list of values of which one is drawn, or an expression (`= add_days(today, 2)`, `= bookings.traveller`)."""
    after: str = ""
    """The goal after which it is put in, so that expressions can read what is said and found there; empty: before all."""
    share: Share = 1.0
    """In how many rows."""
    where: Annotated[str, UNWRITTEN] = ""
    """`file:line`, for messages."""
    computed: Annotated[dict[str, Test], UNWRITTEN] = {}
    """The expressions, compiled."""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A story: goals in order."""

    story: Name
    about: str = ""
    """Who wants what and why, in a few words; for people."""
    world: tuple[Bias, ...] = ()
    """What there is in the world that it is drawn in."""
    goals: Annotated[tuple[Goal, ...], Meta(min_length=2, max_length=100)]
    fewest: Annotated[int, Meta(ge=2)] = 4
    """The least number of goals that the user comes to in a row."""
    where: Annotated[str, UNWRITTEN] = ""
    """`file:line`, for messages."""

    @property
    def tools(self) -> frozenset[str]:
        """The tools that it needs."""
        every = [want for goal in self.goals for want in goal.every]
        names = {goal.goal for goal in self.goals}
        searched = {source.goal for want in every for source in want.sources.values()} - names
        return frozenset({want.call for want in every} | searched)


class StoryFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of stories."""

    stories: Annotated[tuple[Story, ...], Meta(min_length=1)]
    schema: Annotated[str, Key("$schema")] = ""
    """For editors; has no effect."""


MOST_WAYS = 64
"""The most ways in which a sentence is said; of more, some are drawn, always the same ones, with as many of the options as can be."""


@lru_cache(maxsize=1024)
def ways_of(text: str) -> tuple[str, ...]:
    """Return a sentence in the ways that its choices allow: `[Which|What] trains are there[| then]?` has four."""
    pieces = _CHOICE.split(text)  # a text and the options after it in turn
    options = [_BAR.split(choice) for choice in pieces[1::2]]
    if prod(map(len, options)) <= MOST_WAYS:
        chosen: Iterable[Sequence[str]] = product(*options)
    else:
        draw = Random(stream_seed("ways", text))
        repeated = [own * max(1, MOST_WAYS // len(own)) + own[: MOST_WAYS % len(own)] for own in options]
        chosen = zip(*[draw.sample(column, MOST_WAYS) for column in repeated], strict=True)
    filled = [("".join(map("".join, zip(pieces[::2], (*way, ""), strict=True)))) for way in chosen]
    return tuple(dict.fromkeys(filled))


_BAR = re.compile(r"\|(?![^{]*\})")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def sentence_of(text: str) -> tuple[Template, dict[str, str]]:
    """Return a sentence as a form, and the words in it for arguments that hold on; raises ValueError for what is no form."""
    words: dict[str, str] = {}
    for inside in _braces(text):
        slot, mark, said = inside.partition("|")
        if mark and "?" not in slot:
            words[slot] = said
            text = text.replace(f"{{{inside}}}", f"{{{slot}}}")
    return parse_template(text), words


def _braces(text: str) -> list[str]:
    return [part.partition("}")[0] for part in text.split("{")[1:]]


Kept = tuple[str, str, str, str]
"""As `ToolSpec.kept` has it."""


def with_forms(toolbox: Toolbox, stories: Iterable[Story]) -> Toolbox:
    """Return the tools with the sentences by which stories ask for them, and the words for what holds on."""
    told: dict[str, list[str]] = {}
    kept: dict[str, list[Kept]] = {}
    stated: dict[str, list[tuple[str, str, Any]]] = {}
    for story in stories:
        goals = {name: goal for goal in story.goals for name in (goal.every[-1].call, goal.goal)}
        for goal in story.goals:
            for want in goal.every:
                forms = [sentence_of(way) for text in want.say for way in ways_of(text)]
                told.setdefault(want.call, []).extend([form.text for form, _ in forms])
                stated.setdefault(want.call, []).extend(
                    [
                        (slot, text, want.said[slot])
                        for _, words in forms
                        for slot, text in words.items()
                        if slot in want.said
                    ]
                )
                before = goals[goal.again].every[-1].sources if goal.again else {}
                for slot, source in {**before, **want.sources}.items():
                    if source.argument:
                        tool = goals[source.goal].every[-1].call if source.goal in goals else source.goal
                        words = dict.fromkeys([said.get(slot, "") for _, said in forms])
                        kept.setdefault(want.call, []).extend([(slot, one, tool, source.argument) for one in words])
    return {
        name: msgspec.structs.replace(
            spec,
            told=tuple(dict.fromkeys(told[name])),
            kept=tuple(dict.fromkeys(kept.get(name, ()))),
            stated=tuple(dict.fromkeys(stated[name])),
        )
        if name in told
        else spec
        for name, spec in toolbox.items()
    }
