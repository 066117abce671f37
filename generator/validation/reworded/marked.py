"""A text with its words of closed classes, each assigned to the value that it belongs to."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from generator.toolbox import ToolSpec
from generator.validation.reworded.closed_classes import Mark, closed_class_words, lexicon, text_tokens, value_beside
from generator.validation.reworded.frames import frames_of
from generator.validation.reworded.own_words import ToolKey
from generator.validation.reworded.survival import Beside, Span, Spoken

_SENTENCE = 1_000
"""How many tokens away a word may be from its value within one sentence."""
_AFTER_VALUES = ("or_", "and_")
"""Beginnings of comparisons that follow their value: "2 MB or smaller"."""
_NEAR = 6
"""How many tokens after a verb its value stands at most, if it only adds a value."""
_OF_RANKS = frozenset({"below", "above"})
"""Words that compare what is no number, too: "below urgent priority"."""
_AFTER_TOO = frozenset({"fewer", "less"})
"""Words that may follow their number: "2 fewer guests"."""


class MarkedText:
    """The meanings of the words of closed classes in one text."""

    def __init__(self, text: str, spans: Sequence[Span], spoken: Sequence[Spoken]) -> None:
        self.spoken = spoken
        self.tokens = text_tokens(text, spans)
        marks = closed_class_words(self.tokens)
        self.marks = [mark for mark in marks if mark.kind != "idle"]
        phrases = [mark for mark in marks if mark.kind in {"idle", "comparison"} or mark.end - mark.start > 1]
        self._in_phrases = {
            place for mark in phrases if mark.kind != "direction" for place in range(mark.start, mark.end)
        }
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
        words = "_".join([token.text for token in self.tokens[mark.start : mark.end]])
        if words in lexicon().before_the_value:
            beside = self.tokens[mark.start - 1] if words in _AFTER_TOO and mark.start else None
            if beside is not None and beside.value >= 0:
                return beside.value
            following = self.tokens[mark.end : mark.end + 1]
            value = following[0].value if following else -1
            compares = value >= 0 and (self.spoken[value].group == "number" or words in _OF_RANKS)
            return value if compares else -1
        if words.startswith(_AFTER_VALUES):
            behind = [token.value for token in self.tokens[max(0, mark.start - 3) : mark.start] if token.value >= 0]
            return behind[-1] if behind else -1
        return value_beside(self.tokens, mark, reach=6, forward_first=False)

    def of_calls(self, kind: str) -> Counter[tuple[str, frozenset[str]]]:
        """Return how often each meaning of a class is said of which calls; of no call where no value is near."""
        return Counter((mark.meaning, self.calls_of(mark)) for mark in self.marks if mark.kind == kind)

    def calls_of(self, mark: Mark) -> frozenset[str]:
        """Return the calls of the value that the words refer to: the next one in their sentence, or else the one before."""
        value = value_beside(self.tokens, mark, reach=_SENTENCE, forward_first=True)
        return self.spoken[value].calls if value >= 0 else frozenset()

    def adds_a_value(self, mark: Mark) -> bool:
        """Whether a verb only says one more value of the call of which the value before it is."""
        if mark.end - mark.start > 1 or self.tokens[mark.start].text not in lexicon().more_of_a_call:
            return False
        behind = [token.value for token in self.tokens[: mark.start] if token.value >= 0]
        ahead = [token.value for token in self.tokens[mark.end : mark.end + _NEAR] if token.value >= 0]
        return bool(behind and ahead) and bool(self.spoken[behind[-1]].calls & self.spoken[ahead[0]].calls)

    def said(self, kind: str) -> set[str]:
        """Return all meanings of a class."""
        return {mark.meaning for mark in self.marks if mark.kind == kind}

    def unit(self, value: int) -> str:
        """Return the unit right after a value, or the currency right before it."""
        at = self.at[value]
        if (
            at + 1 < len(self.tokens)
            and self.tokens[at + 1].text in _EACH
            and self.spoken[value].group == "number"
            and self.spoken[value].verbalizer not in _LENGTHS
        ):
            return "each"
        before = self._units.get(at - 1, "") if at else ""
        return self._units.get(at + 1, "") or (before if before in _CURRENCIES else "")

    def is_one_of(self, value: int) -> bool:
        """Whether it is said with "or" between it and another element of its list: one of them, not all."""
        at = self.at[value]
        if not at or self.tokens[at - 1].text != "or":
            return False
        leaf = self.spoken[value].leaf
        return any(
            token.value >= 0 and self.spoken[token.value].leaf == leaf for token in self.tokens[max(0, at - 4) : at]
        )

    def acts(self, value: int) -> bool:
        """Whether the value is somebody who wrote, sent or shared something, by the word after it."""
        at = self.at[value] + 1
        return at < len(self.tokens) and self.tokens[at].text in _DEEDS

    def is_acted_on(self, value: int) -> bool:
        """Whether the value is somebody to whom something was written, sent or shown, by the words before it."""
        return any(token.text in _DEEDS for token in self.tokens[max(0, self.at[value] - 2) : self.at[value]])

    def more(self, value: int) -> bool:
        """Whether a number is said to come on top of others: "3 more songs"."""
        following = self.tokens[self.at[value] + 1 : self.at[value] + 2]
        return bool(following) and following[0].text in _MORE and self.spoken[value].group == "number"

    def repeated(self, value: int) -> bool:
        """Whether a day, a time or a reference is said to be meant again and again, or for all: "every Monday"."""
        at = self.at[value]
        word, group = self.tokens[at - 1].text if at else "", self.spoken[value].group
        return word in _EVERY and (group in {"when", "reference"} or (group not in {"number", ""} and word != "all"))

    def _direction(self, value: int, place: int) -> str:
        if self.spoken[value].group in _MEASURED:
            behind = self._behind.get(place + (2 if self.unit(value) else 1))
            if behind is not None:
                return behind
        first = place
        while first and self.tokens[first - 1].text in _ARTICLES:
            first -= 1
        return next((mark.meaning for mark in self._before if first <= mark.end <= place), "")

    def lead(self, value: int) -> str:
        """Return the preposition right before a value, apart from an article; empty where there is none."""
        at = self.at[value] - 1
        while at >= 0 and self.tokens[at].text in _DETERMINERS:
            at -= 1
        is_lead = at >= 0 and at not in self._in_phrases and self.tokens[at].text in lexicon().prepositions
        return self.tokens[at].text if is_lead else ""

    def is_part_of_name(self, value: int) -> bool:
        """Whether what follows a value makes it a part of a name: "the low-priority tasks", "the Customer Portal's list"."""
        at = self.at[value] + 1
        word = self.tokens[at].text if at < len(self.tokens) else ""
        return word[:1].isalpha() and word not in _JOINS and word not in lexicon().prepositions

    def words_beyond(self, kind: str) -> set[str]:
        """Return the words of the text that are not of a class."""
        marked = {place for mark in self.marks if mark.kind == kind for place in range(mark.start, mark.end)}
        return {token.text for place, token in enumerate(self.tokens) if place not in marked}

    def words_of_phrases(self, kind: str) -> set[str]:
        """Return the words of all phrases of a class that have several words."""
        places = [
            place
            for mark in self.marks
            if mark.kind == kind and mark.end - mark.start > 1
            for place in range(mark.start, mark.end)
        ]
        return {self.tokens[place].text for place in places}

    def words_after(self, value: int, reach: int) -> frozenset[str]:
        """Return the words after a value, up to the next value or mark, that are no small words."""
        found: list[str] = []
        for token in self.tokens[self.at[value] + 1 : self.at[value] + 1 + reach]:
            if token.value >= 0 or not token.text[:1].isalpha() or token.text in _JOINS:
                break
            found.append(token.text)
        return frozenset(word for word in found if len(word) > _SMALL)

    def word_before(self, value: int) -> frozenset[str]:
        """Return the word before a value and its preposition, if it is no small word: "rises" of "rises at 06:30"."""
        at = self.at[value] - 1
        while at >= 0 and (self.tokens[at].text in _DETERMINERS or self.tokens[at].text in lexicon().prepositions):
            at -= 1
        is_named = at > 0 and self.tokens[at - 1].value >= 0  # "8 people from 12:30": the word is the other value's
        word = self.tokens[at].text if at >= 0 and not is_named and self.spoken[value].group in _MEASURED else ""
        return frozenset([word] if word[:1].isalpha() and len(word) > _SMALL else [])

    def opens_range(self, value: int) -> bool:
        """Whether the value begins a range that another value ends."""
        place = self.at[value] + 1
        goes_on = any(mark.start == place and (mark.kind, mark.meaning) == ("direction", "to") for mark in self.marks)
        return goes_on and any(token.value >= 0 for token in self.tokens[place : place + 3])


_DEEDS = frozenset({"sent", "wrote", "shared", "emailed", "mailed", "messaged", "gave", "asked", "invited", "told"})
_MORE = frozenset({"more", "other", "others", "additional", "further", "extra"})
_EVERY = frozenset({"every", "each", "all"})
_LENGTHS = frozenset({"minutes", "hours", "seconds"})
_EACH = frozenset({"each", "apiece"})
_CURRENCIES = frozenset({"euro", "dollar", "sterling"})
_MEASURED = frozenset({"number", "when", "reference", ""})
"""Groups of values that words after them can tell the direction of: "July 10 onwards", "15 minutes before"."""
_NAMES, _SMALL = 4, 3
_JOINS = frozenset(
    {
        "and",
        "or",
        "with",
        "from",
        "for",
        "at",
        "on",
        "in",
        "to",
        "plus",
        "while",
        "but",
        "would",
        "will",
        "could",
        "has",
        "have",
        "costs",
        "cost",
        "gives",
        "brings",
        "was",
        "were",
        "is",
        "are",
        "got",
    }
)
_DETERMINERS = frozenset(["the", "a", "an", "my", "our", "your", "his", "her", "their", "this", "these"])
_ARTICLES = frozenset(["the", "a", "an", "my", "our", "on", "at", "about", "group", "folder", "email", "message"])


def beside(spec: ToolSpec, of: str, slot: str, group: str) -> Beside:
    """Return what the phrases of a tool say beside one of its values.

    Args:
        spec: The tool.
        of: `arguments` or `result`.
        slot: The slot of the value in them.
        group: The group of the value (`Spoken.group`).
    """
    return _beside(ToolKey(spec), of, slot, group)


@lru_cache(maxsize=4096)
def _beside(held: ToolKey, of: str, slot: str, group: str) -> Beside:
    frames = frames_of(held.spec, of, slot)
    value = Spoken(start=0, end=1, value=None, wordy=False, group=group)
    texts = [
        MarkedText(f"{frame.before}x{frame.after}", [(len(frame.before), len(frame.before) + 1)], [value])
        for frame in frames
    ]
    texts = [
        text for text in texts if not text.said("negation") and "skip" not in text.said("action")
    ]  # "nothing before" does not mean "before"
    return Beside(
        frozenset([frozenset(text.of_values("comparison").get(0, ())) for text in texts]),
        frozenset([text.directions[0] for text in texts]),
        frozenset([text.unit(0) for text in texts]),
        frozenset([text.lead(0) for text in texts]),
        frozenset().union(*[text.words_after(0, _NAMES) for text in texts]),
        frozenset().union(*[text.word_before(0) for text in texts]),
    )
