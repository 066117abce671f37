"""Whether the words around the values still mean the same: comparison, direction, units, negation, action.

Words of closed classes are found in both texts; each is assigned to the value it belongs to, and through it to a call;
then both sides are compared. A word that is on no list is free.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from generator.toolbox import ToolSpec, name_as_words
from generator.validation.reworded.closed_classes import (
    Mark,
    closed_class_words,
    lexicon,
    text_tokens,
    value_beside,
)
from generator.validation.reworded.own_words import ToolKey, asking_texts
from generator.validation.reworded.parts import moved_value_fault
from generator.validation.reworded.survival import Span, Spoken

_SENTENCE = 1_000
"""How many tokens away a word may be from its value within one sentence."""
_AFTER_TOO = frozenset({"fewer", "less"})
"""Words that may follow their number: "2 fewer guests"."""
_STRICT = frozenset({"before", "after", "ahead", "later"})
"""Directions that no other direction may replace, whatever the value is."""
_MOVED = frozenset({"from", "to"})


class Meanings:
    """The meanings of the words of closed classes in one text."""

    def __init__(self, text: str, spans: Sequence[Span], spoken: Sequence[Spoken]) -> None:
        self.spoken = spoken
        self.tokens = text_tokens(text, spans)
        self.marks = closed_class_words(self.tokens)
        self.at = {token.value: place for place, token in enumerate(self.tokens) if token.value >= 0}
        self._units = {mark.start: mark.meaning for mark in reversed(self.marks) if mark.kind == "unit"}
        self._behind = {mark.start: mark.meaning for mark in reversed(self.marks) if mark.kind == "direction_after"}
        self._before = [mark for mark in self.marks if mark.kind == "direction"]
        self.directions = {value: self._direction(value, place) for value, place in self.at.items()}
        """From, until, before, … a value, as the words right before or after it say."""

    def of_values(self, kind: str) -> dict[int, set[str]]:
        """Return, by value, the meanings of words of a class that stand beside it."""
        found: dict[int, set[str]] = {}
        for mark in self.marks:
            if mark.kind == kind and (value := self._beside(mark)) >= 0:
                found.setdefault(value, set()).add(mark.meaning)
        return found

    def _beside(self, mark: Mark) -> int:
        words = self.tokens[mark.start].text
        if mark.end - mark.start == 1 and words in lexicon().before_the_value:
            beside = self.tokens[mark.start - 1] if words in _AFTER_TOO and mark.start else None
            if beside is not None and beside.value >= 0:
                return beside.value
            following = self.tokens[mark.end : mark.end + 1]
            value = following[0].value if following else -1
            return value if value >= 0 and self.spoken[value].group == "number" else -1
        return value_beside(self.tokens, mark, reach=6, forward_first=False)

    def of_calls(self, kind: str) -> Counter[tuple[str, frozenset[str]]]:
        """Return how often each meaning of a class is said of which calls; of no call where no value is near."""
        return Counter((mark.meaning, self.calls_of(mark)) for mark in self.marks if mark.kind == kind)

    def calls_of(self, mark: Mark) -> frozenset[str]:
        """Return the calls of the value that the words refer to: the next one in their sentence, or else the one before."""
        value = value_beside(self.tokens, mark, reach=_SENTENCE, forward_first=True)
        return self.spoken[value].calls if value >= 0 else frozenset()

    def said(self, kind: str) -> set[str]:
        """Return all meanings of a class."""
        return {mark.meaning for mark in self.marks if mark.kind == kind}

    def unit(self, value: int) -> str:
        """Return the unit right after a value."""
        return self._units.get(self.at[value] + 1, "")

    def _direction(self, value: int, place: int) -> str:
        behind = self._behind.get(place + (2 if self.unit(value) else 1))
        if behind is not None:
            return behind
        first = place
        while first and self.tokens[first - 1].text in _ARTICLES:
            first -= 1
        return next((mark.meaning for mark in self._before if first <= mark.end <= place), "")

    def opens_range(self, value: int) -> bool:
        """Whether the value begins a range that another value ends."""
        place = self.at[value] + 1
        goes_on = any(mark.start == place and (mark.kind, mark.meaning) == ("direction", "to") for mark in self.marks)
        return goes_on and any(token.value >= 0 for token in self.tokens[place : place + 3])


_ARTICLES = frozenset(["the", "a", "an", "my", "our", "on", "at", "about", "group", "folder", "email", "message"])


def other_meaning(
    old: tuple[str, Sequence[Span]],
    new: tuple[str, Sequence[Span]],
    spoken: Sequence[Spoken],
    calls: Mapping[str, ToolSpec],
    *,
    is_request: bool,
) -> str:
    """Return what means something else in the new text; an empty text if nothing does.

    Args:
        old: The old text, and where its values stand.
        new: The new text, and where the same values stand there.
        spoken: The values.
        calls: The tools of the row's calls, by id.
        is_request: Whether the user says it, not the assistant.
    """
    was, now = Meanings(*old, spoken), Meanings(*new, spoken)
    return (
        moved_value_fault(was.tokens, now.tokens, spoken)
        or _value_fault(was, now)
        or _call_fault(was, now, is_request)
        or _action_fault(was, now, calls, is_request)
        or _future_fault(was, now, is_request)
    )


def _value_fault(was: Meanings, now: Meanings) -> str:
    """Return what is said otherwise of a single value; an empty text if nothing is."""
    before, after = was.of_values("comparison"), now.of_values("comparison")
    for value, one in enumerate(was.spoken):
        if before.get(value, set()) != after.get(value, set()):
            return "another comparison beside a value"
        if was.unit(value) != now.unit(value):
            return f"another unit: {now.unit(value) or 'none'}"
        came, goes = was.directions[value], now.directions[value]
        if not _same_direction(came, goes, one.group == "when") and not (
            {came, goes} == {"", "from"} and was.opens_range(value) and now.opens_range(value)
        ):
            return f"another direction: {goes or 'none'}"
    if _to_moved(was, now):
        return "what goes where changed places"
    added = now.said("unit") - was.said("unit")
    return f"a unit of its own: {', '.join(sorted(added))}" if added else ""


def _to_moved(was: Meanings, now: Meanings) -> bool:
    """Whether one value lost its "to" and another one of the same call got one."""
    every = range(len(was.spoken))
    before, after = ({value for value in every if text.directions[value] == "to"} for text in (was, now))
    lost, won = ({was.spoken[value].calls for value in values} for values in (before - after, after - before))
    return bool(lost & won)


def _same_direction(was: str, now: str, of_time: bool) -> bool:
    if was == now or (was in {"", "to"} and now in {"", "to"}):
        return True
    if not of_time:
        return not ({was, now} <= _MOVED or {was, now} == {"to", "by"}) and not _STRICT & ({now} if was == "after" and not now else {was, now})
    return False


def _call_fault(was: Meanings, now: Meanings, is_request: bool) -> str:
    """Return what is said otherwise of a call; an empty text if nothing is."""
    if was.of_calls("negation") != now.of_calls("negation"):
        return "says the opposite, perhaps"
    for kind in ("order", "quantifier"):
        before, after = set(was.of_calls(kind)), set(now.of_calls(kind))
        if before != after:
            told = ", ".join(sorted({meaning for meaning, _ in before ^ after}))
            return f"another {kind}: {told}"
    added = now.said("state") - was.said("state")
    if added:
        return f"another state: {', '.join(sorted(added))}"
    lost = was.said("state") - now.said("state") - {"still"}
    return f"a state is lost: {', '.join(sorted(lost))}" if lost and is_request else ""


def _action_fault(was: Meanings, now: Meanings, calls: Mapping[str, ToolSpec], is_request: bool) -> str:
    """Return an action that neither the old text nor the tools' own phrases say of the same call; an empty text if there is none."""
    asked = {call: _actions(ToolKey(spec)) for call, spec in calls.items()}
    for mark in was.marks:
        if mark.kind == "action":
            for call in was.calls_of(mark) or calls:
                asked[call] = asked[call] | {mark.meaning}
    said: set[str] = set() if calls else was.said("action")
    for mark in now.marks:
        if mark.kind != "action":
            continue
        if mark.meaning not in said.union(*[asked[call] for call in now.calls_of(mark) or calls]):
            return f"does something else: {' '.join(token.text for token in now.tokens[mark.start : mark.end])}"
    return ""


@lru_cache(maxsize=1024)
def _actions(held: ToolKey) -> frozenset[str]:
    """Return what a tool does, by its name and the phrases with which it is asked for."""
    spec = held.spec
    found = {"look_up"} if spec.looks_up else set()
    found |= {
        mark.meaning
        for text in (name_as_words(spec.name), *asking_texts(spec))
        for mark in closed_class_words(text_tokens(text, ()))
        if mark.kind == "action"
    }
    return frozenset(found).union(*[lexicon().related.get(action, frozenset()) for action in found])


def _future_fault(was: Meanings, now: Meanings, is_request: bool) -> str:
    return "" if is_request or now.said("future") <= was.said("future") else "is not done yet"

