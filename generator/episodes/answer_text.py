"""What a text of an agent states: a value in one of its forms, that something failed, or nothing but a result's JSON; and what it asks.

Texts are whatever an agent sends, so that all of this is linear in their length: repeats in patterns are bounded, no more than
`MOST_READ` characters of a text are read, and readers are asked no more than `MOST_ASKED` times an episode.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from generator.core.exact_json import same
from generator.core.pointers import parts_of_object
from generator.core.toolbox import ToolSpec, name_as_words, once_per_tool
from generator.core.yaml_values import own_data
from generator.dialogue.acts.ask import questions_about
from generator.dialogue.values.numbers import NUMBER_WORDS

MOST_READ = 16_000
MOST_ASKED = 20_000
_MOST_WORDS = 7
"""Words that a reader is given together."""
_LONGEST_WORDS = 80
_NEAR = 40
"""Characters between the name of a month and a day of it: "Friday 7 to Tuesday 11 November"."""
_DATA: dict[str, Any] = own_data(__file__)
_MARKS = "\"'“”‘’().,;:!?*_`"
_NUMBER = re.compile(
    r"(?<![\w.,])[-−]?(\d{1,3}(?:,\d{3}){1,5}|\d{1,18})(\.\d{1,12})?(?: ?(k|K|M|thousand|million|billion|bn|%)(?![^\W\d_]))?"
)
_SCALES = {"k": 1e3, "K": 1e3, "thousand": 1e3, "M": 1e6, "million": 1e6, "billion": 1e9, "bn": 1e9, "%": 1e-2}
_MONTH = re.compile(
    r"\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = re.compile(r"(?<![\w.:])([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\w:])")
_SLASHED = re.compile(r"(?<![\w/.])(\d{1,2})[/.](\d{1,2})(?![\w/]\d|\w)")
_TIME = re.compile(
    r"(?<![\w.,])([01]?\d|2[0-3])(?:[:.h]([0-5]\d))? ?([ap]\.?m\b)?(?=( ?(?:[-–]|to) ?\d)?)", re.IGNORECASE
)
_ISO = re.compile(r"\d{4}-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d).{0,20})?|(\d\d):(\d\d)(?::\d\d)?")
_LONG = re.compile(r"[^\W\d_]{4}")
_PART = re.compile(r"[^.!?;,\n]+")
_JSON = re.compile(
    r"""["']\w[^"' \n]{0,60}["']\s?:\s{0,40}(?:"[^"\n]{0,2000}"|'[^'\n]{0,2000}'|[-\w.]{1,40})?|[{}\[\],]"""
)


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of the words, which are patterns themselves."""
    return re.compile(rf"\b(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)


_BAD, _IDLE, _FAILED, _OTHERWISE = (any_of(_DATA[key]) for key in ("bad", "idle", "failed", "otherwise"))


def says(text: str, words: str) -> bool:
    """Whether a text says words, and not within others; capitals do not matter."""
    text, words = text.casefold(), words.casefold()
    return words in text and words != "" and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def reports_problem(text: str) -> bool:
    """Whether a text can say that something was not done, did not work out, or is not there."""
    return _BAD.search(_IDLE.sub(" ", text)) is not None


def reports_failure(text: str, known: str = "", *, mended: bool = False) -> bool:
    """Whether a text says that what was asked for was not done; words that stand in `known`, what results and the row say, tell no failure.

    Where something had failed before it was done (`mended`), that may be reported: then only the last part of a sentence counts.
    """
    parts = [part for part in _PART.findall(text) if " " in part.strip()]
    failing = [_reports_failure_in(part, known) for part in parts]
    return bool(failing) and (failing[-1] if mended else any(failing))


def _reports_failure_in(part: str, known: str) -> bool:
    """Whether a part of a sentence says that something failed, in words that are not known, and before it no "but" or "instead"."""
    found = next((match for match in _FAILED.finditer(part) if match[0].casefold() not in known), None)
    return found is not None and _OTHERWISE.search(part, 0, found.start()) is None


def is_json(text: str, results: Sequence[str]) -> bool:
    """Whether a text is mostly JSON, or holds a whole result that is an object or a list."""
    bare = _without_spaces(text)
    if any(result[:1] in "{[" and len(result) > 2 and result in bare for result in map(_without_spaces, results)):
        return True
    keys = [match for match in _JSON.finditer(text) if match[0][0] in "\"'"]
    return len(keys) > 0 and 2 * sum(len(_without_spaces(match[0])) for match in _JSON.finditer(text)) >= len(bare)


def _without_spaces(text: str) -> str:
    """Return a text without its white space."""
    return "".join(text.split())


class AnswerText:
    """A text, read for values."""

    def __init__(self, text: str) -> None:
        self.text = text[:MOST_READ]

    def states(self, value: Any, words: str = "") -> bool:
        """Whether a value is stated, whatever reads it; `words` are the row's own for it, empty where it has another one."""
        if words and self.says(words):
            return True
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._has_number(value)
        return isinstance(value, str) and (
            says(self.text, value) or says(self.text, value.replace("_", " ")) or self._has_moment(value)
        )

    def says(self, words: str) -> bool:
        """Whether words are said, or the dates, times or numbers that they are."""
        if says(self.text, words):
            return True
        other = AnswerText(words)
        if other._days or other._times:
            return other._days <= self._days and other._times <= self._times
        return (
            bool(other._numbers) and not _LONG.search(words) and all(self._has_number(one) for one, _ in other._numbers)
        )

    def reads(self, value: Any, read: Callable[[str], Any], attempts: Iterator[int]) -> bool:
        """Whether some words are read as a value; `read` raises ValueError for others, `asked` ends when it was asked often enough."""
        for words, _ in zip(self._windows(), attempts, strict=False):
            try:
                if same(read(words), value):
                    return True
            except ValueError:
                continue
        return False

    def _windows(self) -> Iterator[str]:
        """Yield the runs of a few words."""
        words = [match.span() for match in re.finditer(r"\S+", self.text)]
        for at, (start, _) in enumerate(words):
            for _, end in words[at : at + _MOST_WORDS]:
                if end - start > _LONGEST_WORDS:
                    break
                yield self.text[start:end].strip(_MARKS)

    def _has_number(self, value: float) -> bool:
        """Whether a number is stated, or what it is rounded to: to the decimals or thousands that are stated, or from 100 on to a whole one."""
        return any(abs(abs(value) - told) <= slack for told, slack in self._numbers)

    @cached_property
    def _numbers(self) -> dict[tuple[float, float], None]:
        """The numbers of the text, each with how far the value may be from it."""
        slack_by_number: dict[tuple[float, float], None] = {}
        for match in _NUMBER.finditer(self.text):
            scale = _SCALES.get(match[3] or "", 1.0)
            number = float(match[1].replace(",", "") + (match[2] or ""))
            unit = 10.0 ** -(len(match[2] or ".") - 1)
            rounded = unit < 1 or number >= 100 or scale != 1.0
            slack_by_number[number, 0.5 * unit if rounded else 0.0] = None
            if scale != 1.0:
                slack_by_number[number * scale, 0.5 * unit * scale] = None
        for word in re.findall(r"[a-z]+(?:-[a-z]+)?", self.text.lower()):
            if word in NUMBER_WORDS:
                slack_by_number[float(NUMBER_WORDS[word]), 0.0] = None
        return slack_by_number

    def _has_moment(self, value: str) -> bool:
        """Whether a date, a time, or both are stated, as JSON has them."""
        match = _ISO.fullmatch(value)
        if match is None:
            return False
        month, day, hour, minute = (
            int(group) if group else None for group in (match[1], match[2], match[3] or match[5], match[4] or match[6])
        )
        is_dated = month is None or (month, day) in self._days
        return is_dated and (hour is None or minute is None or 60 * hour + minute in self._times)

    @cached_property
    def _days(self) -> set[tuple[int, int | None]]:
        """The days of the text, as month and day."""
        days: set[tuple[int, int | None]] = set()
        for match in _MONTH.finditer(self.text):
            month = _MONTHS.index(match[1].lower()[:3]) + 1
            around = self.text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
            days |= {(month, int(day)) for day in _DAY.findall(around)}
        for first_number, second_number in _SLASHED.findall(self.text):
            days |= {(int(first_number), int(second_number)), (int(second_number), int(first_number))}
        for match in _ISO.finditer(self.text):
            if match[1]:
                days.add((int(match[1]), int(match[2])))
        return days

    @cached_property
    def _times(self) -> set[int]:
        """The times of the text in minutes from midnight; both where the text does not say whether it is before noon."""
        times: set[int] = set()
        for match in _TIME.finditer(self.text):
            hour, half = int(match[1]), (match[3] or "").lower()[:1]
            if not (match[2] or half or match[4]):
                continue
            minutes = 60 * hour + int(match[2] or 0)
            times |= (
                {60 * (hour % 12) + int(match[2] or 0) + 720 * (half == "p")}
                if half
                else {minutes, (minutes + 720) % 1440}
            )
        return times


Slot = tuple[str, str]
"""A tool and one of its arguments, as a pointer."""


class Question(msgspec.Struct, frozen=True):
    """What a text asks."""

    leave: bool
    """Whether it asks for a yes or no."""
    slots: tuple[Slot, ...] = ()
    """The arguments that it may ask for; of several, all fit as well."""


_QUESTION_DATA: dict[str, Any] = own_data(__file__, "questions.yaml")


_CLOSING, _REQUEST, _LATER, _LEAVE = (any_of(_QUESTION_DATA[key]) for key in ("closing", "request", "later", "leave"))
_WORD = re.compile(r"[a-z]+")
_NOTHING: frozenset[str] = frozenset(_QUESTION_DATA["nothing"].split())
_ASKING: frozenset[str] = frozenset(_QUESTION_DATA["asking"].split())
_KINDS: Mapping[str, str] = _QUESTION_DATA["kinds"]


def asks_something(text: str) -> list[str]:
    """Return the sentences of a text that ask the user for something."""
    sentences = []
    for sentence in re.findall(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]+)*[.!?\n]*", text):
        if "?" in sentence:
            if not _CLOSING.search(sentence):
                sentences.append(sentence)
        elif _REQUEST.search(sentence) and not _LATER.search(sentence) and not _CLOSING.search(sentence):
            sentences.append(sentence)
    return sentences


def read_question(text: str, specs: Iterable[ToolSpec], names: Mapping[Slot, str] | None = None) -> Question | None:
    """Return which arguments of tools a text asks for; None where it asks nothing. `names` are their other names, where they are scrambled."""
    sentences = asks_something(text)
    if not sentences:
        return None
    asked = " ".join(sentences)
    return Question(leave=_LEAVE.search(asked) is not None, slots=_slots_asked(asked, list(specs), names or {}))


def _slots_asked(asked: str, specs: list[ToolSpec], names: Mapping[Slot, str]) -> tuple[Slot, ...]:
    """Return the arguments whose words are in a question, the best ones."""
    other_words = {name for spec in specs for name in parts_of_object(spec.tool.parameters)[0] if name in _NOTHING}
    stems_in_question = stems_of(asked) | {
        _without_ending(word) for word in _WORD.findall(asked.lower()) if word in other_words
    }
    slots = {(spec.name, slot): words for spec in specs for slot, words in _slot_words(spec).items()}
    for slot, name in names.items():
        if slot in slots:
            slots[slot] = slots[slot] | dict.fromkeys(words_of(name), 3.0)
    slots_by_word: dict[str, int] = {}
    by_slot = {slot: words for (_, slot), words in slots.items()}
    for words in by_slot.values():
        for word in words.keys() & stems_in_question:
            slots_by_word[word] = slots_by_word.get(word, 0) + 1
    scores = {
        slot: sum(words[word] / slots_by_word.get(word, 1) for word in words.keys() & stems_in_question)
        for slot, words in slots.items()
    }
    best_score = max(scores.values(), default=0.0)
    return tuple([slot for slot, score in scores.items() if score >= max(_LEAST, best_score * _ALIKE)])


_LEAST, _ALIKE = 0.5, 0.8
"""The least score of an argument, and how near the best one others must come to be asked for as well."""


@once_per_tool
def _slot_words(spec: ToolSpec) -> dict[str, dict[str, float]]:
    """Return the words with which each argument of a tool may be asked for, with their weights."""
    properties, _ = parts_of_object(spec.tool.parameters)
    return {f"/{name}": _words_of_slot(spec, name, schema) for name, schema in properties.items()}


def _words_of_slot(spec: ToolSpec, name: str, schema: Any) -> dict[str, float]:
    """Return the words with which one argument may be asked for, with their weights: those of its name count most, of its description least."""
    schema = schema if isinstance(schema, dict) else {}
    words: dict[str, float] = {}
    kinds = [str(schema.get("format", "")), spec.kinds.get(name, ""), spec.kinds.get(f"/{name}", "")]
    kinds += [kind for kind in (schema.get("type"),) if isinstance(kind, str)]
    members = [str(member) for member in schema.get("enum", ())]
    described = str(schema.get("description", ""))
    inner = parts_of_object(schema)[0]
    own = spec.phrases.ask.get(name, ()) or questions_about(name_as_words(name), is_number=False)
    for weight, texts in (
        (0.4, [described, *[name_as_words(member) for member in members], *map(name_as_words, inner)]),
        (1.0, [text for kind in kinds for text in (_KINDS.get(kind, ""), name_as_words(kind))]),
        (2.0, own),
        (3.0, [name_as_words(name)]),
    ):
        for text in texts:
            words |= dict.fromkeys(words_of(text, also=_ASKING), weight)
    return words | ({_without_ending(name): 3.0} if name in _NOTHING else {})


def stems_of(text: str, also: frozenset[str] = _ASKING) -> frozenset[str]:
    """Return the words of a text that say something, without endings."""
    return frozenset(
        [
            _without_ending(word)
            for word in _WORD.findall(text.lower())
            if word in also or (word not in _NOTHING and len(word) > 1)
        ]
    )


words_of = lru_cache(maxsize=4096)(stems_of)
"""The same for texts of tools and rows, which are asked for again; those of agents are kept nowhere."""


def _without_ending(word: str) -> str:
    """Return a word without the ending of a plural: "cities" → "city"."""
    for end in ("ies", "es", "s"):
        if word.endswith(end) and len(word) > len(end) + 2:
            return word[: -len(end)] + ("y" if end == "ies" else "e" if end == "es" else "")
    return word
