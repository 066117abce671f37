"""Texts of scripts: words with slots for expressions, choices, plurals and lists. Parsed once, then filled row by row."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from generator.core.claims import SpanClaim
from generator.core.documents import nearest
from generator.core.seeds import Draw
from generator.dialogue.proof.expressions import (
    Expression,
    Known,
    Names,
    UnfitError,
    read_expression,
    replaced,
)
from generator.dialogue.proof.scripted import AS_IS
from generator.dialogue.values import FAMILIES, VERBALIZERS, takes_on
from generator.dialogue.values.voice import Voice

WAYS = frozenset({*VERBALIZERS, *AS_IS, *FAMILIES})
"""What can stand behind the colon of a slot."""


class Slot(msgspec.Struct, frozen=True):
    """`{lamp.name:lower}`: the value of an expression, said in a way; without one, as values of its type are said."""

    expression: Expression
    way: str


class Plural(msgspec.Struct, frozen=True):
    """`{n?paper|papers}`: words that depend on a number, or on whether something is true."""

    expression: Expression
    one: str
    many: str


class Meant(msgspec.Struct, frozen=True):
    """`{'relax' ~ nice and relaxing}`: words that mean a constant."""

    expression: Expression
    words: str


class Each(msgspec.Struct, frozen=True):
    """`{each x in LIST: {x.name}}`, with commas and "and"; `{lines x in LIST: …}` in lines that begin with a hyphen."""

    variable: str
    over: Expression
    in_lines: bool
    parts: "tuple[Part, ...]"


class Choice(msgspec.Struct, frozen=True):
    """`[Turn|Switch]`: one of several texts."""

    options: "tuple[tuple[Part, ...], ...]"


Part = str | Slot | Plural | Meant | Each | Choice


class Text(msgspec.Struct, frozen=True):
    """One wording of a turn."""

    source: str
    """As the file has it."""
    parts: tuple[Part, ...]
    where: str = ""
    """`file:line: script, turn, wording`, for messages."""


_EACH = re.compile(r"(each|lines) ([a-z_]\w*) in (.+)", re.DOTALL)
_PLURAL = re.compile(r"([^?]+)\?([^|?]*)\|(.*)", re.DOTALL)
_MEANT = re.compile(r"(.+?) ~ (.+)", re.DOTALL)
_SLOT = re.compile(r"(.+?)(?::([a-z_]+))?", re.DOTALL)
_OPENS, _CLOSES = "{[(", "}])"


def read_text(source: str) -> Text:
    """Return a text; raises ValueError that says what is wrong with it."""
    return Text(source, _parts(source))


def _parts(source: str) -> tuple[Part, ...]:
    """Return the parts of a text as a file has it: `Turn on {lamp.name}` → `Turn on ` and a slot."""
    parts: list[Part] = []
    position = start = 0
    while position < len(source):
        letter = source[position]
        if letter in "}]|":
            raise ValueError(f"{letter} stands alone in {source!r}")
        if letter not in "{[":
            position += 1
            continue
        end = _end_of(source, position)
        inside = source[position + 1 : end]
        if source[start:position]:
            parts.append(source[start:position])
        if letter == "{":
            parts.append(_slot(inside))
        else:
            options = _split(inside, "|")
            if len(options) < 2:
                raise ValueError(f"[{inside}] has no choices; [one|two] is expected")
            parts.append(Choice(tuple([_parts(option) for option in options])))
        position = start = end + 1
    return (*parts, source[start:]) if source[start:] else tuple(parts)


def _end_of(source: str, start: int) -> int:
    """Return the place of the bracket that closes the one at `start`."""
    depth, quote = 0, ""
    for position in range(start, len(source)):
        letter = source[position]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"" and source[start] == "{" and _is_quote(source, position):
            quote = letter
        elif letter in _OPENS:
            depth += 1
        elif letter in _CLOSES:
            depth -= 1
            if not depth:
                return position
    raise ValueError(f"{source[start]} is not closed in {source!r}")


def _is_quote(source: str, at: int) -> bool:
    """Whether a quotation mark in a slot begins a text of an expression; an apostrophe within words does not."""
    return not (source[at - 1].isalnum() and source[at : at + 1] == "'")


def _split(source: str, separator: str) -> list[str]:
    """Return the parts between separators, where they are in no brackets: `_split("a|(b|c)", "|")` → `["a", "(b|c)"]`."""
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(source):
        depth += (letter in _OPENS) - (letter in _CLOSES)
        if letter == separator and not depth:
            parts.append(source[start:position])
            start = position + 1
    return [*parts, source[start:]]


def _slot(inside: str) -> Part:
    """Return the part that stands in braces: `{lamp.name}` a value, `{each x in lamps: …}` a list, `{n?lamp|lamps}` a plural, `{"on" ~ switch on}` words that mean a constant."""
    if each_match := _EACH.fullmatch(inside):
        list_text, *parts_of_body = _split(each_match[3], ":")
        if not parts_of_body:
            raise ValueError(f"{{{inside}}}: a colon is expected behind the list: {{each x in LIST: …}}")
        return Each(
            each_match[2],
            read_expression(list_text),
            each_match[1] == "lines",
            _parts(":".join(parts_of_body).removeprefix(" ")),
        )
    if plural_match := _PLURAL.fullmatch(inside):
        return Plural(read_expression(plural_match[1]), plural_match[2], plural_match[3])
    if meant_match := _MEANT.fullmatch(inside):
        expression = read_expression(meant_match[1])
        if not expression.is_constant:
            raise ValueError(f"{{{inside}}}: a constant is expected before ~")
        return Meant(expression, meant_match[2])
    slot_match = _SLOT.fullmatch(inside)
    if slot_match is None:
        raise ValueError("{} is empty")
    if slot_match[2] and slot_match[2] not in WAYS:
        raise ValueError(
            f"{{{inside}}}: there is no way {slot_match[2]!r} to say a value{nearest(slot_match[2], sorted(WAYS))}"
        )
    return Slot(read_expression(slot_match[1]), slot_match[2] or "")


def words_of(parts: tuple[Part, ...]) -> str:
    """Return the words of a text outside of slots, all choices one after the other; `_` stands for each slot."""
    return " ".join([_words(part) for part in parts])


def _words(part: Part) -> str:
    """Return the words of one part, with `_` in place of a value."""
    match part:
        case str():
            return part
        case Choice(options):
            return " ".join(map(words_of, options))
        case Each(parts=parts):
            return f"_ {words_of(parts)}"
        case Plural():
            return f"{part.one} {part.many}"
        case Meant():
            return part.words
    return "_"


def slots_with_words_before(parts: tuple[Part, ...]) -> Iterator[tuple[str, Slot]]:
    """Yield the slots of a text, each with the words directly before it."""
    before = ""
    for part in parts:
        match part:
            case Slot():
                yield before, part
            case Choice(options):
                for option in options:
                    yield from slots_with_words_before(option)
            case Each(parts=inside):
                yield from slots_with_words_before(inside)
        before = part if isinstance(part, str) else ""


def slots_with_words_behind(parts: tuple[Part, ...]) -> Iterator[tuple[Slot, str]]:
    """Yield the slots of a text, each with the words directly behind it; of a plural those of its many."""
    for at, part in enumerate(parts):
        behind = parts[at + 1] if at + 1 < len(parts) else ""
        if behind == " " and isinstance(parts[at + 2 : at + 3][0] if at + 2 < len(parts) else "", Plural):
            behind = parts[at + 2]
        match part:
            case Slot():
                yield part, behind if isinstance(behind, str) else behind.many if isinstance(behind, Plural) else ""
            case Choice(options):
                for option in options:
                    yield from slots_with_words_behind(option)
            case Each(parts=inside):
                yield from slots_with_words_behind(inside)


def constants_in_words(parts: tuple[Part, ...]) -> Iterator[Meant]:
    """Yield the words of a text that mean a constant."""
    for part in parts:
        match part:
            case Meant():
                yield part
            case Choice(options):
                for option in options:
                    yield from constants_in_words(option)


def expressions_of(parts: tuple[Part, ...]) -> Iterator[Expression]:
    """Yield every expression of a text, without the variables of lists bound."""
    for part in parts:
        match part:
            case Slot() | Plural() | Meant():
                yield part.expression
            case Choice(options):
                for option in options:
                    yield from expressions_of(option)
            case Each(over=over, parts=inside):
                yield over
                yield from expressions_of(inside)


# -- a row ---------------------------------------------------------------------------------------------------------------

Bound = tuple[tuple[str, str], ...]
"""Variables of lists around a slot, each with the expression of its element."""


class Filled(msgspec.Struct, frozen=True):
    """A text of a row, with a claim for each of its values."""

    text: str
    spans: tuple[SpanClaim, ...]

    def behind(self, words: str) -> "Filled":
        """Return the text with some words before it, such as `One more thing: `."""
        by, replace = len(words), msgspec.structs.replace
        spans = [replace(span, start=span.start + by, end=span.end + by) for span in self.spans] if by else self.spans
        return Filled(words + self.text, tuple(spans))


def fill(text: Text, known: Known, draw: Draw, voice: Voice, message: int = 0, *, is_heard: bool) -> Filled:
    """Return a wording with its values (`Turn on the {lamp.name}` → `Turn on the desk lamp`), and a claim for each.

    Args:
        text: The wording.
        known: What each name of the script stands for.
        draw: Chooses among choices.
        voice: How whoever says it says values.
        message: Index of the message that it becomes.
        is_heard: Whether the user or the system says it, so that the claims have the values.

    Raises:
        CannotFillError: a value cannot be said so, or a list is empty.
    """
    filling = _Filling(draw, voice, is_heard)
    filling.add_parts(text.parts, known, ())
    words = "".join(filling.words)
    cut = len(words) - len(words.lstrip())
    words = words.strip()
    begins_with = next((way for start, end, way, *_ in filling.spans if start == cut < end), "lower")
    if begins_with in _SMALL_BEGINNINGS:
        words = words[:1].upper() + words[1:]
    return Filled(
        words,
        tuple(
            [
                SpanClaim(message, start - cut, end - cut, way, expression, value)
                for start, end, way, expression, value in filling.spans
            ]
        ),
    )


class _Filling:
    """A text as far as it is filled."""

    def __init__(self, draw: Draw, voice: Voice, is_heard: bool) -> None:
        self.draw, self.voice, self.is_heard = draw, voice, is_heard
        self.words: list[str] = []
        self.spans: list[tuple[int, int, str, str, Any]] = []
        """Start, end, how the value is said, its expression, and the value where it is claimed."""
        self.length = 0

    def put_words(self, words: str) -> None:
        """Add words; where a choice was empty, one of two spaces goes."""
        if words[:1] == " " and (not self.words or self.words[-1][-1:] in (" ", "\n")):
            words = words[1:]
        if words:
            self.words.append(words)
            self.length += len(words)

    def add_parts(self, parts: tuple[Part, ...], known: Known, bound: Bound) -> None:
        """Add the parts of a text; within a list, `bound` has the expressions of its variables' elements."""
        for part in parts:
            match part:
                case str():
                    self.put_words(part)
                case Slot():
                    self._put_slot(part, known, bound)
                case Choice(options):
                    self.add_parts(self.draw.choice(options), known, bound)
                case Plural():
                    number = part.expression.value(known)
                    self.put_words(part.one if number is True or (number == 1 and number is not False) else part.many)
                case Meant():
                    start = self.length
                    self.put_words(part.words)
                    self._claim(start, "meant", part.expression.text, part.expression.value(known))
                case Each():
                    self._put_list(part, known, bound)

    def _claim(self, start: int, way: str, expression: str, value: Any) -> None:
        """Claim that the words from `start` on say the value of an expression."""
        held = value if self.is_heard or way == "list" else None
        self.spans.append((start, self.length, way, expression, held))

    def _put_list(self, part: Each, known: Known, bound: Bound) -> None:
        """Add a text once for each element of a list: `{each x in lamps: {x.name}}` → `the desk lamp, the bulb and the spot`."""
        things = part.over.value(known)
        if not things:
            raise UnfitError(f"{part.over.text} is empty")
        list_expression = _in_terms_of_lists(part.over, bound)
        self._claim(self.length, "list", list_expression, len(things))
        for index, element in enumerate(things):
            if part.in_lines:
                self.put_words("\n- " if self.words and (index or self.words[-1][-1:] != "\n") else "- ")
            elif index:
                self.put_words(" and " if index == len(things) - 1 else ", ")
            names_inside = Names(known)
            names_inside[part.variable] = element
            self.add_parts(part.parts, names_inside, (*bound, (part.variable, f"{list_expression}[{index}]")))

    def _put_slot(self, slot: Slot, known: Known, bound: Bound) -> None:
        """Add the value of a slot; of a list all values, with commas and "and"."""
        value = slot.expression.value(known)
        expression = _in_terms_of_lists(slot.expression, bound)
        if not isinstance(value, list):
            self._put_value(value, slot.way, expression)
            return
        if not value:
            raise UnfitError(f"{slot.expression.text} is empty")
        self._claim(self.length, "list", expression, len(value))
        for index, element in enumerate(value):
            if index:
                self.put_words(" and " if index == len(value) - 1 else ", ")
            self._put_value(element, slot.way, f"{expression}[{index}]")

    def _put_value(self, value: Any, way: str, expression: str) -> None:
        """Add the words that say one value, in the first way of those possible that has words for it."""
        for verbalizer in FAMILIES.get(way, (way,)) if way else _usual_ways(value):
            if verbalizer in AS_IS:
                text: str | None = AS_IS[verbalizer](value) if value is not None else None
            else:
                text = VERBALIZERS[verbalizer].say(value, self.voice)
            if text:
                break
        else:
            raise UnfitError(f"{{{expression}}}: {value!r} cannot be said{f' as {way}' if way else ''}")
        self._fit_word_before(text, verbalizer)
        if verbalizer in ("lower", *_SMALL_WORDS) and self.words and _SENTENCE_ENDS.search(self.words[-1]):
            text = text[:1].upper() + text[1:]
        start = self.length
        self.words.append(text)
        self.length += len(text)
        self._claim(start, verbalizer, expression, value)

    def _fit_word_before(self, words: str, way: str) -> None:
        """Fit the word before a value to it: no "on" before "tomorrow", "an" before a vowel."""
        before = self.words[-1] if self.words else ""
        if way in _DAYS and not takes_on(words) and before.endswith(("on ", "On ")):
            fitted = before[: -len("on ")]
        elif _ARTICLE.search(before) and _VOWEL.match(words):
            fitted = f"{before[:-1]}n "
        else:
            return
        self.words[-1] = fitted
        self.length += len(fitted) - len(before)


_SENTENCE_ENDS = re.compile(r"[.!?]\s+$")
_DAYS = frozenset({"date", *FAMILIES["datetime"]})
_SMALL_WORDS = frozenset({"enum", "words", *_DAYS})
"""Ways to say a value in words that have a capital letter only where they begin a sentence."""
_SMALL_BEGINNINGS = frozenset({*AS_IS, *_SMALL_WORDS, "meant"})
_ARTICLE = re.compile(r"(?:^|\s)[Aa] $")
_VOWEL = re.compile(r"(?!eu|one\b|uni|us[ae]|ut)[aeiou]|(?:8|11|18)\b|hour", re.IGNORECASE)
_MOMENTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\d{4}-\d\d-\d\d"), "date"),
    (re.compile(r"[0-2]\d:[0-5]\d(?::\d\d)?Z?"), "time"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*"), "datetime"),
)
_SMALL = 12


def _usual_ways(value: Any) -> tuple[str, ...]:
    """Return how values of a type are said, best first."""
    if isinstance(value, bool):
        return ("yes_no",)
    if isinstance(value, int):
        return ("count", "number") if 0 <= value <= _SMALL else ("number",)
    if isinstance(value, float):
        return ("number",)
    if not isinstance(value, str):
        return ()
    moment = next((FAMILIES.get(name, (name,)) for form, name in _MOMENTS if form.fullmatch(value)), ())
    return (*moment, "literal", "quoted")


@lru_cache(maxsize=65_536)
def _text_with_elements(expression: str, bound: Bound) -> str:
    """Return an expression with elements in place of variables: `x.name`, (("x", "found.lamps[0]"),) → `found.lamps[0].name`."""
    node = read_expression(expression).node
    for variable, element in reversed(bound):
        node = replaced(node, variable, read_expression(element).node)
    return ast.unparse(node)


def _in_terms_of_lists(expression: Expression, bound: Bound) -> str:
    """Return the text of an expression, with elements of lists in place of the variables that stand for them."""
    return _text_with_elements(expression.text, bound) if bound else expression.text
