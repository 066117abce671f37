"""The words between phrases: openers, conjunctions, leads, thanks.

Plain data, in `connectives.yaml`, that the wording draws from and the proof reads: a text holds nothing but its values,
the phrases of its tools and these words.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from generator.core.text_grammars import expand_texts
from generator.core.yaml_values import own_data

Frame = tuple[str, str]
"""What stands before a clause and after it."""


class Join(NamedTuple):
    """How the clauses of one sentence are joined: the texts of which one stands between two of them."""

    firsts: frozenset[str]
    """The kinds of forms with which the sentence may begin."""
    others: frozenset[str]
    """The kinds of forms with which its other clauses begin."""
    two: tuple[str, ...]
    """Between the clauses of a sentence of two."""
    first: tuple[str, ...] = ()
    """Between the first two of several; empty where there may be no more than two."""
    later: tuple[str, ...] = ()
    """Between those that follow."""
    last: tuple[str, ...] = ()
    """Before the last one."""

    def between(self, clauses: int) -> tuple[tuple[str, ...], ...]:
        """Return the texts for each place between so many clauses."""
        if clauses < 3:
            return (self.two,) * (clauses - 1)
        return (self.first, *(self.later,) * (clauses - 3), self.last)


LIST_MARKS = ("\n- ", "\n1. ")
"""What begins the first line of a list."""
_ASKED = frozenset({"request", "bare", "follow_up"})
_AGAIN = frozenset({"again"})


class Connectives:
    """The words that stand between phrases."""

    def __init__(self, tables: dict[str, Any]) -> None:
        def texts(key: str) -> tuple[str, ...]:
            return tuple(tables[key])

        def words(key: str) -> frozenset[str]:
            return frozenset(tables[key])

        def frames(key: str) -> tuple[Frame, ...]:  # which are written as `can you …?`
            return tuple([(before, after) for before, _, after in [text.partition("…") for text in tables[key]]])

        self.tables = tables
        self.link: str = tables["and"]
        """Between the last two things of a list."""
        self.separators = (", ", f" {self.link} ")
        """What stands between the things of a list, and before the last of them."""
        self.dropped_speaker = words("dropped_speaker")
        """Words for the speaker with which a clause does not stand behind "I'd like to"."""

        # --- the user asks ---

        often = frames("often")
        self.asking = (*often, *often, *frames("seldom"))
        self.wishing = frames("wishing")
        self.looking_up = frames("looking_up")
        self.for_me = frames("for_me")
        """Ways to ask for a verb phrase; more than one of the last kind in a message is too many."""
        self.wanting = frames("wanting")
        """Ways to ask for a noun phrase."""
        self.needing = (*self.wanting, *frames("needing"))
        """Ways to ask for one that is to be found; nobody looks for what is to be made."""
        self.ways_to_ask = (
            (self.asking + self.wishing, self.asking + self.wishing + self.for_me),
            (
                self.asking + self.wishing + self.looking_up,
                self.asking + self.wishing + self.looking_up + self.for_me,
            ),
        )
        """Ways to ask in the first person: for a clause that only looks something up, and then for one that has a short body."""
        self.list_openers = texts("list_openers")
        """What announces a list of calls; `{}` is what the tool does to several things."""
        self.todo_openers = texts("todo_openers")
        """What announces a list of verb phrases."""
        self.speakers = tuple([f"{word} " for word in tables["speakers"]])
        """Words for the speaker that keep their capital within a sentence."""
        self.greetings = texts("greetings")
        self.thanks = texts("thanks")
        self.and_also = texts("and_also")
        """What begins a further sentence about another call."""
        self.then = texts("then")
        """What begins a sentence about what to do with a result."""
        self.finally_: str = tables["finally"]
        self.asking_to_be_told = words("asking_to_be_told")
        """Words of a sentence that asks for an answer, not only for something to be done."""
        self.things = tuple(tables["things"])
        """What begins a sentence that names what is asked for, and no more: "The contact details of Ada King, please."."""
        self.please: str = tables["please"]
        """What ends such a sentence."""

        # --- sentences, and joins within them ---

        self.frames: dict[str, tuple[Frame, ...]] = {
            "question": (("", "?"),),
            "want": self.needing,
            **dict.fromkeys(
                ("request", "bare", "follow_up"), (*self.asking, *self.wishing, *self.looking_up, *self.for_me)
            ),
        }
        """The frames of a sentence, by the kind of the form with which it begins (`productions.py`)."""
        self.stopping = texts("stopping")
        """Ends of frames that fall away behind a quotation that has a stop."""
        same_tool, (heavy, before_last) = texts("same_tool"), texts("same_tool_heavy")
        last = (self.separators[1],)
        self.of = texts("of")
        """Between the words for one thing and those for what it is searched among: "the newest one of my tax files"."""
        self.among = texts("among")
        """What begins a message with what is searched, where something else follows: "Of my tax files, delete the newest one."."""
        self.join_again = Join(frozenset(self.frames), _AGAIN, same_tool, (", ",), (", ",), same_tool)
        """Before the last call of a tool that the sentence has named already."""
        self.join_again_heavy = Join(frozenset(self.frames), _AGAIN, (before_last,), (heavy,), (heavy,), (before_last,))
        """Between such calls and before the last one, when they hold commas themselves."""
        self.join_tools = Join(_ASKED, _ASKED, texts("two_tools"), (", ",), (", ",), last)
        then, later = texts("then_links"), texts("later_links")
        self.join_steps = Join(_ASKED, _ASKED, then, then, later, later)
        """Before what is to be done with a result, in the same sentence."""
        self.join_of = Join(_ASKED, frozenset({"found"}), self.of)
        self.join_among = Join(frozenset({"found"}), _ASKED, (", ",))
        self.joins = (
            self.join_again,
            self.join_again_heavy,
            self.join_tools,
            self.join_steps,
            self.join_of,
            self.join_among,
        )
        """All of them: the wording joins clauses by these, and the proof knows no others."""

        # --- the user goes on ---

        self.further = texts("further")
        """What begins a later message that asks for something."""
        self.after_refusal = texts("after_refusal")
        """The same after the assistant has refused something."""
        self.identifying = frames("identifying")
        """What stands around a value that the user was not expected to say before."""
        self.identifying_again = frames("identifying_again")
        """The same where the request says it, too."""
        self.mistaken = frames("mistaken")
        """The same in place of a mistyped one."""
        self.otherwise_known = frames("otherwise_known")
        """The same in place of another one of the user's."""
        self.replying = frames("replying")
        """What stands around the value alone when the user was asked for it."""
        self.choosing = frames("choosing")
        """The same where the value is one of many that would do: a day, a time, a number."""
        self.replying_in_a_frame = frames("replying_in_a_frame")
        self.answering = words("answering")
        """What such a frame begins with."""
        self.changing = frames("changing")
        """What stands around the value alone, when it follows "Yes, but" in place of one that was said before."""

        # --- the assistant answers ---

        self.offers = expand_texts(tables["offers"])
        self.found = texts("found")
        self.done = texts("done")
        self.both = texts("both")

    def within(self, announcement: str) -> str:
        """Return what announces a list as it stands within a sentence."""
        return announcement if announcement.startswith(self.speakers) else announcement[:1].lower() + announcement[1:]


CONNECTIVES = Connectives(own_data(__file__))


def next_mark(mark: str) -> str:
    """Return the mark with which the next line of a list begins: "2. " after "1. " (each behind a line break), and "- " again."""
    return mark if mark == LIST_MARKS[0] else f"\n{int(mark[1:-2]) + 1}. "


def after(opener: str, text: str) -> str:
    """Return a text as it stands behind an opener: with a capital at the beginning of a message, and behind a stop."""
    return text if opener and not opener.endswith(". ") else text[:1].upper() + text[1:]


# --- names of arguments and fields, which are English ---

_TABLES = CONNECTIVES.tables
GOES_ON = frozenset(_TABLES["goes_on"])
"""Words that may follow any value: what comes then does not belong to it."""


def argument_name(words: str) -> str:
    """Return the name of an argument as people speak of it, without a unit; an empty text where it is none.

    `max price per night` gives "maximum price per night", `open now` nothing.
    """
    first, _, rest = measure_in_field("_".join(words.split()))[0].partition(" ")
    name = " ".join([_LIMITS.get(first, first), rest]) if rest else first
    return "" if name in _LIMITS or not name or not _NO_NOUNS.isdisjoint((first, name.rpartition(" ")[2])) else name


_LIMITS: dict[str, str] = _TABLES["limits"]
_NO_NOUNS = frozenset(_TABLES["no_nouns"])
"""Words that an argument's name has at its beginning or end where nobody would say "the …" of it."""


_UNITS: dict[str, str] = _TABLES["units"]
"""The last word of a field's name that is a unit, and how it is written after the number."""


def measure_in_field(field: str) -> tuple[str, str]:
    """Return what a number measures and its unit, read from the name of its field: ("wind speed", " km/h")."""
    *words, last = field.split("_")
    return (" ".join(words), _UNITS[last]) if words and last in _UNITS else (field.replace("_", " "), "")


def unit_in_sentences(texts: Iterable[str], field: str) -> str:
    """Return the unit that sentences write right behind a field: "%", "°C", or "°" where it may be Celsius or Fahrenheit."""
    units = {unit for text in texts for unit in re.findall(rf"\{{{re.escape(field)}\}}(%|°[CF]\b)", text)}
    return units.pop() if len(units) == 1 else "°" if units == {"°C", "°F"} else ""


def field_in_words(field_names: Mapping[str, str], texts: Iterable[str], field: str) -> tuple[str, str]:
    """Return what people call a field of a result, and the unit of its value: ("chance of rain", "%").

    The tool has words for its fields (`known`), and texts that report its results.
    """
    name, unit = (field_names[field], "") if field in field_names else measure_in_field("_".join(words_in_field(field)))
    return name, unit or unit_in_sentences(texts, field)


@cache
def words_in_field(field: str) -> tuple[str, ...]:
    """Return the words of a field's name as people say them: `createdTime` is "created", `idShort` "short id", `section_gid` "section id"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", field).lower().replace("-", "_").split("_")
    words = [_SHORTER.get(word, word) for word in words if word]
    if len(words) > 1 and words[0] == "id":
        words = [*words[1:], "id"]
    if len(words) > 1 and words[-1] == "time" and words[-2].endswith("ed"):
        words.pop()
    return tuple(words) or (field,)


_SHORTER: dict[str, str] = _TABLES["shorter"]


# --- arguments that nobody wrote phrases for ---

PREPOSITIONS = tuple([(frozenset(names), preposition) for preposition, names in _TABLES["prepositions"].items()])
"""Words in the name of an argument, and what is said before its value then instead of the name; the last one counts."""
