"""The words between phrases: openers, conjunctions, leads, thanks.

Plain data, in `connectives.yaml`, that the wording draws from and the proof reads: a text holds nothing but its values,
the phrases of its tools and these words.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from generator.yaml_values import own_data

Frame = tuple[str, str]
"""What stands before a clause and after it."""

_TABLES: dict[str, Any] = own_data(__file__)


def _texts(key: str) -> tuple[str, ...]:
    return tuple(_TABLES[key])


def _words(key: str) -> frozenset[str]:
    return frozenset(_TABLES[key])


def _frames(key: str) -> tuple[Frame, ...]:
    """Return frames, which are written as `can you …?`."""
    parts = [text.partition("…") for text in _TABLES[key]]
    return tuple([(before, after) for before, _, after in parts])


# --- the user asks ---

OFTEN = _frames("often")
SELDOM = _frames("seldom")
ASKING = (*OFTEN, *OFTEN, *SELDOM)
WISHING = _frames("wishing")
LOOKING_UP = _frames("looking_up")
FOR_ME = _frames("for_me")
"""Ways to ask for a verb phrase; more than one of the last kind in a message is too many."""
WANTING = _frames("wanting")
"""Ways to ask for a noun phrase."""
NEEDING = (*WANTING, *_frames("needing"))
"""Ways to ask for one that is to be found; nobody looks for what is to be made."""
LIST_OPENERS = _texts("list_openers")
"""What announces a list of calls; `{}` is what the tool does to several things."""
TODO_OPENERS = _texts("todo_openers")
"""What announces a list of verb phrases."""
LIST_MARKS = ("\n- ", "\n1. ")
"""What begins the first line of such a list."""


def next_mark(mark: str) -> str:
    """Return what begins the line after one that begins with a mark: "2. " after "1. "."""
    return mark if mark == LIST_MARKS[0] else f"\n{int(mark[1:-2]) + 1}. "


def after(opener: str, text: str) -> str:
    """Return a text as it stands behind an opener: with a capital at the beginning of a message, and behind a stop."""
    is_small = opener and not opener.endswith(". ")
    return text if is_small else text[:1].upper() + text[1:]


def within(announcement: str) -> str:
    """Return what announces a list as it stands within a sentence."""
    return announcement if announcement.split()[0] in ("I", "I'd") else announcement[:1].lower() + announcement[1:]


GREETINGS = _texts("greetings")
THANKS = _texts("thanks")
AND_ALSO = _texts("and_also")
"""What begins a further sentence about another call."""
THEN = _texts("then")
"""What begins a sentence about what to do with a result."""
FINALLY: str = _TABLES["finally"]

ASKING_TO_BE_TOLD = _words("asking_to_be_told")
"""Words of a sentence that asks for an answer, not only for something to be done."""

# --- sentences, and joins within them ---

FRAMES: dict[str, tuple[Frame, ...]] = {
    "question": (("", "?"),),
    "want": NEEDING,
    **dict.fromkeys(("request", "bare", "follow_up"), (*ASKING, *WISHING, *LOOKING_UP, *FOR_ME)),
}
"""The frames of a sentence, by the kind of the form with which it begins (`productions.py`)."""
STOPPING = (".", ", please.", ", thanks.")
"""Ends of frames that fall away behind a quotation that has a stop."""

SAME_TOOL = _texts("same_tool")
"""Before the last call of a tool that the sentence has named already."""
SAME_TOOL_HEAVY = _texts("same_tool_heavy")
"""Between such calls and before the last one, when they hold commas themselves."""
TWO_TOOLS = _texts("two_tools")
THEN_LINKS = _texts("then_links")
"""Before what is to be done with a result, in the same sentence."""
LATER_LINKS = _texts("later_links")

OF = _texts("of")
"""Between the words for one thing and those for what it is searched among: "the newest one of my tax files"."""
AMONG = _texts("among")
"""What begins a message with what is searched, where something else follows: "Of my tax files, delete the newest one."."""
ABOUT = _texts("about")
"""The same before a colon: "About my tax files: delete the newest one."."""
MEANING = _texts("meaning")
"""What begins a sentence of its own with what is searched: "Delete the newest one. I mean my tax files."."""


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


_ASKED = frozenset({"request", "bare", "follow_up"})
_AGAIN = frozenset({"again"})
_HEAVY, _BEFORE_LAST = SAME_TOOL_HEAVY
JOIN_AGAIN = Join(frozenset(FRAMES), _AGAIN, SAME_TOOL, (", ",), (", ",), SAME_TOOL)
JOIN_AGAIN_HEAVY = Join(frozenset(FRAMES), _AGAIN, (_BEFORE_LAST,), (_HEAVY,), (_HEAVY,), (_BEFORE_LAST,))
JOIN_TOOLS = Join(_ASKED, _ASKED, TWO_TOOLS, (", ",), (", ",), (" and ",))
JOIN_STEPS = Join(_ASKED, _ASKED, THEN_LINKS, THEN_LINKS, LATER_LINKS, LATER_LINKS)
JOIN_OF = Join(_ASKED, frozenset({"found"}), OF)
JOIN_AMONG = Join(frozenset({"found"}), _ASKED, (", ", ": "))
JOINS = (JOIN_AGAIN, JOIN_AGAIN_HEAVY, JOIN_TOOLS, JOIN_STEPS, JOIN_OF, JOIN_AMONG)
"""All of them: the wording joins clauses by these, and the proof knows no others."""

GOES_ON = _words("goes_on")
"""Words that may follow any value: what comes then does not belong to it."""

# --- the user goes on ---

FURTHER = _texts("further")
"""What begins a later message that asks for something."""
AFTER_REFUSAL = _texts("after_refusal")
"""The same after the assistant has refused something."""
SWITCHING = _texts("switching")
"""What begins a message that asks for something else instead of answering a question."""
SAME_AGAIN = _frames("same_again")
"""What stands around the frame of one value with which the request before is meant once more: "And in Rome?"."""
SAME_AGAIN_ALONE = _frames("same_again_alone")
"""The same around the value alone: "What about Rome?"."""
CORRECTING = _frames("correcting")
"""What stands around a value, or its frame, with which the user takes back what they said of it before."""
LEADING = _words("leading")
"""What a frame begins with when it can be said by itself to change one thing: "And near Sofia?", not "And called Bo?"."""
IDENTIFYING = _frames("identifying")
MISTAKEN = _frames("mistaken")
"""What stands around a value that the user was not expected to say before."""
REPLYING = _frames("replying")
"""What stands around the value alone when the user was asked for it."""
CHOOSING = _frames("choosing")
"""The same where the value is one of many that would do: a day, a time, a number."""
REPLYING_IN_A_FRAME = _frames("replying_in_a_frame")
ANSWERING = _words("answering")
"""What such a frame begins with."""
CHANGING = _frames("changing")
"""What stands around the value alone, when it follows "Yes, but" in place of one that was said before."""
SETTLING = _frames("settling")
"""What stands around the value that the user gives instead."""

# --- the assistant answers ---

OFFERS = _texts("offers")
FOUND = _texts("found")
DONE = _texts("done")
BOTH = _texts("both")


def argument_name(words: str) -> str:
    """Return the name of an argument as people speak of it, without a unit; an empty text where it is none.

    Args:
        words: The words of its name: `max price per night` gives "maximum price per night", `open now` nothing.
    """
    first, _, rest = measure_in_field("_".join(words.split()))[0].partition(" ")
    name = " ".join([_LIMITS.get(first, first), rest]) if rest else first
    return "" if name in _LIMITS or not name or not _NO_NOUNS.isdisjoint((first, name.rpartition(" ")[2])) else name


_LIMITS: dict[str, str] = _TABLES["limits"]
_NO_NOUNS = _words("no_nouns")
"""Words that an argument's name has at its beginning or end where nobody would say "the …" of it."""


_UNITS: dict[str, str] = _TABLES["units"]
"""The last word of a field's name that is a unit, and how it is written after the number."""


def measure_in_field(field: str) -> tuple[str, str]:
    """Return what a number measures and its unit, as the name of its field tells: ("wind speed", " km/h")."""
    *words, last = field.split("_")
    return (" ".join(words), _UNITS[last]) if words and last in _UNITS else (field.replace("_", " "), "")


def unit_in_sentences(texts: Iterable[str], field: str) -> str:
    """Return the unit that sentences write right behind a field: "%", "°C", or "°" where it may be Celsius or Fahrenheit."""
    units = {unit for text in texts for unit in re.findall(rf"\{{{re.escape(field)}\}}(%|°[CF]\b)", text)}
    return units.pop() if len(units) == 1 else "°" if units == {"°C", "°F"} else ""


def field_in_words(known: Mapping[str, str], texts: Iterable[str], field: str) -> tuple[str, str]:
    """Return what people call a field of a result, and the unit of its value: ("chance of rain", "%").

    Args:
        known: Words that the tool has for its fields.
        texts: The sentences in which it tells its results.
        field: The field.
    """
    name, unit = (known[field], "") if field in known else measure_in_field(field)
    return name, unit or unit_in_sentences(texts, field)


# --- arguments that nobody wrote phrases for ---

PREPOSITIONS = tuple([(frozenset(names), preposition) for preposition, names in _TABLES["prepositions"].items()])
"""Words in the name of an argument, and what is said before its value then instead of the name; the last one counts."""
