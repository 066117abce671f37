"""A reader for the regular expressions of JSON Schema (ECMA syntax), and writers of texts that match, with words where words fit.

Only what can be sampled is read: back-references are refused by name. Anchors, word boundaries and look-around are not
in the tree, except at the very beginning or end; the caller tests what it sampled.
"""

import unicodedata
from collections.abc import Callable
from functools import cache
from string import ascii_lowercase, hexdigits

import msgspec

from generator.arguments.checks import value_error_if
from generator.arguments.vocabulary.words import WORDS

Ranges = tuple[tuple[int, int], ...]
"""Sorted, disjoint ranges of code points, both ends included."""


class Chars(msgspec.Struct, frozen=True):
    """One character of a set."""

    letters: str
    """Characters to choose from: what is printable, when anything is."""


class Run(msgspec.Struct, frozen=True):
    """A repetition of a part."""

    of: "Pattern"
    low: int
    high: int | None


class Chain(msgspec.Struct, frozen=True):
    """Parts one after the other."""

    parts: "tuple[Pattern, ...]"


class Either(msgspec.Struct, frozen=True):
    """One of several."""

    options: "tuple[Pattern, ...]"


Pattern = Chars | Run | Chain | Either

_LAST = 0x10FFFF
_MOST_REPEATS = 4096
_DIGITS: Ranges = ((48, 57),)
_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Ranges = ((9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F))
_NO_DOT: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}
_PROPERTIES: dict[str, Ranges] = {
    "L": ((65, 90), (97, 122), (0xC0, 0xD6), (0xD8, 0xF6)),
    "Lu": ((65, 90), (0xC0, 0xD6)),
    "Ll": ((97, 122), (0xDF, 0xF6)),
    "N": _DIGITS,
    "Nd": _DIGITS,
    "Zs": ((32, 32),),
    "P": ((33, 35), (37, 42), (44, 47), (58, 59), (63, 64)),
}
_AROUND = ("?=", "?!", "?<=", "?<!")
_CATEGORIES = {
    "Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm",
    "Other_Letter": "Lo", "Mark": "M", "Nonspacing_Mark": "Mn", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
    "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P", "Dash_Punctuation": "Pd",
    "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Separator": "Z", "Space_Separator": "Zs",
    "Alphabetic": "L", "Alpha": "L", "Uppercase": "Lu", "Lowercase": "Ll", "White_Space": "Zs",
}  # fmt: skip
_SHORT = frozenset({*_CATEGORIES.values(), "Pc", "Pe", "Pf", "Pi", "Po", "Ps", "Sk", "So", "Mc", "Me"})
_SCRIPT_KEYS = ("Script", "sc", "Script_Extensions", "scx")
_PLANE = 0xFFFF


def read_pattern(pattern: str) -> Pattern:
    """Return the tree of a regular expression; raises ValueError naming what is not handled or wrong."""
    reader = _Reader(pattern)
    tree = reader.either()
    if reader.at < len(pattern):
        raise ValueError(f"unexpected {pattern[reader.at]!r} at {reader.at}")
    return tree


class _Reader:
    """A regular expression and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self, length: int = 1) -> str:
        """Return the next characters without reading them."""
        return self.text[self.at : self.at + length]

    def take(self) -> str:
        """Read one character; raises ValueError at the end."""
        if self.at >= len(self.text):
            raise ValueError("it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def either(self) -> Pattern:
        """Read alternatives: `a|b`."""
        options = [self.chain()]
        while self.peek() == "|":
            self.at += 1
            options.append(self.chain())
        return options[0] if len(options) == 1 else Either(tuple(options))

    def chain(self) -> Pattern:
        """Read parts up to `|`, `)` or the end."""
        parts: list[Pattern] = []
        while self.peek() not in {"", "|", ")"}:
            part = self.quantified(self.atom())
            if part != Chain(()):
                parts.append(part)
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def atom(self) -> Pattern:
        """Read one letter, class, group or escape, before its quantifier."""
        letter = self.take()
        if letter in "^$":
            return Chain(())
        if letter == "(":
            return self.group()
        if letter == "[":
            return self.char_class()
        if letter == ".":
            return _chars(_complement(_NO_DOT))
        if letter == "\\":
            if self.peek() in {"b", "B"}:
                self.at += 1
                return Chain(())
            return _chars(self.escape())
        if letter in "*+?":
            raise ValueError(f"nothing to repeat before {letter!r} at {self.at - 1}")
        return Chars(letter)

    def group(self) -> Pattern:
        """Read a group behind its `(`; a look-around counts only where it holds anyway, at an edge of the pattern."""
        around = next((opening for opening in _AROUND if self.text.startswith(opening, self.at)), "")
        is_at_start = self.text[: self.at - 1][-1:] in {"", "(", "|"}
        if around:
            self.at += len(around)
        elif self.peek(2) == "?:":
            self.at += 2
        elif self.peek(2) == "?<":
            end = self.text.find(">", self.at)
            value_error_if(end < 0, "a group name without '>'")
            self.at = end + 1
        elif self.peek() == "?":
            raise ValueError(f"'({self.peek(2)}' is not handled")
        inside = self.either()
        value_error_if(self.peek() != ")", "a '(' without ')'")
        self.at += 1
        counts = (around == "?<=" and is_at_start) or (around == "?=" and self.peek() in {"", ")", "|"})
        return Chain(()) if around and not counts else inside

    def quantified(self, part: Pattern) -> Pattern:
        """Read the quantifier behind a part, if there is one."""
        bounds = self.bounds()
        if bounds is None:
            return part
        low, high = bounds
        if self.peek() == "?":  # lazy: the same texts
            self.at += 1
        elif self.peek() in {"*", "+"}:
            raise ValueError(f"nothing to repeat before {self.peek()!r} at {self.at}")
        value_error_if(
            low > _MOST_REPEATS or (high is not None and high < low), f"the repetition {{{low},{high}}} is not handled"
        )
        return part if part == Chain(()) else Run(part, low, high)

    def bounds(self) -> tuple[int, int | None] | None:
        """Read `*`, `+`, `?` or `{2,3}`; None where no quantifier stands."""
        letter = self.peek()
        if letter and letter in "*+?":
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[letter]
        end = self.text.find("}", self.at) if letter == "{" else -1
        low, comma, high = self.text[self.at + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or not (high.isdecimal() or high == ""):
            return None  # a brace that is only a brace
        self.at = end + 1
        return int(low), int(high) if high else None if comma else int(low)

    def escape(self) -> Ranges:
        """Read what stands behind a backslash, as ranges of code points."""
        letter = self.take()
        if letter.lower() in _CLASSES:
            ranges = _CLASSES[letter.lower()]
            return ranges if letter.islower() else _complement(ranges)
        if letter in _CONTROLS:
            return _code(_CONTROLS[letter])
        value_error_if(letter in "123456789k", f"the back-reference '\\{letter}' is not handled")
        if letter in "pP":
            return self.unicode_property(letter == "P")
        if letter == "c":
            return _code(ord(self.take()) % 32)
        return _code(self.code_point(2 if letter == "x" else 4)) if letter in "xu" else _code(ord(letter))

    def unicode_property(self, negated: bool) -> Ranges:
        """Read `{Lu}` or `{Script=Greek}` behind the letter p of an escape, which is a capital where it is negated."""
        end = self.text.find("}", self.at)
        name = self.text[self.at + 1 : end] if self.peek() == "{" else ""
        ranges = _PROPERTIES.get(name) or _unicode_ranges(name)
        value_error_if(end < 0 or not ranges, f"the class '\\p{{{name}}}' is not handled")
        self.at = end + 1
        return _complement(ranges) if negated else ranges

    def code_point(self, length: int) -> int:
        """Read the number of a character in hexadecimal digits: so many, or any number in braces."""
        if self.peek() == "{":
            end = self.text.find("}", self.at)
            digits, self.at = self.text[self.at + 1 : end], end + 1
        else:
            digits = self.peek(length)
            self.at += length
        value_error_if(
            not digits or any(digit not in hexdigits for digit in digits), f"{digits!r} is not a character's number"
        )
        return int(digits, 16)

    def char_class(self) -> Pattern:
        """Read a class behind its `[`: `a-z_]`."""
        negated = self.peek() == "^"
        self.at += negated
        ranges_found: list[tuple[int, int]] = []
        while self.peek() != "]":
            first = self.class_member()
            if self.peek() == "-" and self.peek(2) not in {"-]", "-"}:
                self.at += 1
                last = self.class_member()
                if first[-1][0] == first[-1][1] and last[0][0] == last[0][1]:
                    value_error_if(last[0][0] < first[0][0], "a range that runs backwards")
                    first, last = ((first[0][0], last[0][0]),), ()
                else:
                    last = (*last, (45, 45))
                ranges_found += last
            ranges_found += first
        self.at += 1
        ranges = tuple(sorted(ranges_found))
        return _chars(_complement(ranges) if negated else ranges)

    def class_member(self) -> Ranges:
        """Read one member of a class: a letter or an escape."""
        letter = self.take()
        if letter != "\\":
            return _code(ord(letter))
        if self.peek() == "b":
            self.at += 1
            return _code(8)
        return self.escape()


@cache
def _unicode_ranges(name: str) -> Ranges:
    """Return the characters of a Unicode property (category or script) in the basic plane; none for one that is not known."""
    key, _, value = name.partition("=")
    codes = range(32, _PLANE)
    if key in _SCRIPT_KEYS and value.isalpha():
        start = f"{'CJK UNIFIED' if value == 'Han' else value.upper()} "
        found = [code for code in codes if unicodedata.name(chr(code), "").startswith(start) and chr(code).isalpha()]
    else:
        short = value if key in {"General_Category", "gc"} else name
        category = _CATEGORIES.get(short, short)
        found = [code for code in codes if category in _SHORT and unicodedata.category(chr(code)).startswith(category)]
    ranges: list[tuple[int, int]] = []
    for code in found:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return tuple(ranges)


def _code(code: int) -> Ranges:
    return ((code, code),)


def _complement(ranges: Ranges) -> Ranges:
    """Return the ranges of code points that stand in none of these."""
    gaps = []
    start = 0
    for low, high in sorted(ranges):
        if start < low:
            gaps.append((start, low - 1))
        start = max(start, high + 1)
    return (*gaps, (start, _LAST)) if start <= _LAST else tuple(gaps)


def _chars(ranges: Ranges) -> Chars:
    """Return the characters of a set to sample from: the ASCII ones, or else a few of each range."""
    codes = sorted({code for low, high in ranges for code in range(max(low, 32), min(high, 126) + 1)})
    if not codes:
        codes = sorted({code for low, high in ranges for code in range(low, min(high, low + 63) + 1)})
    letters = "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)
    value_error_if(not letters, "a set that no character is in")
    return Chars(letters)


Rand = Callable[[], float]
Write = Callable[[Rand], str]

_LETTERS = frozenset(ascii_lowercase)
_MIXED = tuple([WORDS[place * 89 % len(WORDS)] for place in range(len(WORDS))])
"""The words so that neighbours do not begin alike: they are joined."""


def compile_pattern(tree: Pattern, stretch: int = 6, least: int = 0) -> Write:
    """Return a writer of matching texts.

    Repetitions get `stretch` beyond their least length at most, and `least`, where the pattern allows it (for texts with a shortest length).
    """
    if isinstance(tree, Chars):
        return _writer_of_letters(tree.letters)
    if isinstance(tree, Run):
        return _compile_run(tree, stretch, least)
    if isinstance(tree, Either):
        return _writer_of_options([compile_pattern(option, stretch, least) for option in tree.options])
    return _compile_chain(tree, stretch, least)


def compile_letters(tree: Pattern, stretch: int) -> Write:
    """Return a writer that never writes words: for patterns that look around for letters of several kinds (passwords)."""
    if isinstance(tree, Chars):
        return _writer_of_letters(tree.letters)
    if isinstance(tree, Run):
        write, low = compile_letters(tree.of, stretch), tree.low
        room = (low + stretch if tree.high is None else tree.high) - low + 1
        return lambda rand: "".join([write(rand) for _ in range(low + int(rand() * room))])
    writers = [compile_letters(part, stretch) for part in (tree.options if isinstance(tree, Either) else tree.parts)]
    return _writer_of_options(writers) if isinstance(tree, Either) else _writer_of_chain(writers)


def _writer_of_letters(letters: str) -> Write:
    """Return a writer of one of these letters."""
    count = len(letters)
    return _always(letters) if count == 1 else lambda rand: letters[int(rand() * count)]


def _compile_chain(tree: Chain, stretch: int, least: int) -> Write:
    """Return a writer of parts one after the other; neighbouring fixed letters are written at once."""
    writers: list[Write] = []
    fixed = ""
    parts = list(tree.parts)
    while parts:
        part = parts.pop(0)
        if isinstance(part, Chars) and len(part.letters) == 1:
            fixed += part.letters
            continue
        capitalised = _word_writer(part, parts[0], stretch) if parts and not least else None
        if capitalised is not None:
            parts.pop(0)
        writers.append(_after_fixed_text(fixed, capitalised or compile_pattern(part, stretch, least), part))
        fixed = ""
    if fixed or not writers:
        writers.append(_always(fixed))
    return writers[0] if len(writers) == 1 else _writer_of_chain(writers)


def _writer_of_options(options: list[Write]) -> Write:
    """Return a writer that takes one of the options."""
    count = len(options)
    return lambda rand: options[int(rand() * count)](rand)


def _writer_of_chain(writers: list[Write]) -> Write:
    """Return a writer of what these writers write, one after the other."""
    return lambda rand: "".join([write(rand) for write in writers])


def _always(text: str) -> Write:
    return lambda rand: text


def _after_fixed_text(fixed: str, write: Write, part: Pattern) -> Write:
    """Return a writer of the part after fixed text (`ORD-` before six digits)."""
    if not fixed:
        return write
    if isinstance(part, Run) and part.low == part.high and _is_number(part, part.low):
        scale = 10**part.low
        form = f"{fixed.replace('%', '%%')}%0{part.low}d"
        return lambda rand: form % int(rand() * scale)
    return lambda rand: fixed + write(rand)


def _is_number(part: Run, length: int) -> bool:
    """Whether it is a run of digits short enough to be drawn as one number."""
    return isinstance(part.of, Chars) and part.of.letters == "0123456789" and 0 < length <= 15


def _word_writer(first_part: Pattern, rest: Pattern, stretch: int) -> Write | None:
    """Return a word of both parts: one with a capital for `[A-Z][a-z]+`, a plain one for `[a-z][a-z0-9-]*`."""
    if not isinstance(first_part, Chars) or not isinstance(rest, Run) or not isinstance(rest.of, Chars):
        return None
    is_plain = set(first_part.letters) >= _LETTERS
    is_code = rest.low == rest.high and "0" in rest.of.letters
    if is_code if is_plain else not first_part.letters.isupper() or len(first_part.letters) < 26:
        return None
    words = _words_of_letters(rest.of.letters, rest.low + 1, None if rest.high is None else rest.high + 1, stretch)
    return _writer_of_words(words if is_plain else [word.capitalize() for word in words]) if words else None


def _writer_of_words(words: list[str]) -> Write:
    count = len(words)
    return lambda rand: words[int(rand() * count)]


def _compile_run(tree: Run, stretch: int, least: int) -> Write:
    """Return a writer of a repeated part; without an upper bound it is repeated at most `stretch` times more than it must be."""
    low = max(tree.low, least if tree.high is None else min(least, tree.high))
    high = low + stretch if tree.high is None else min(tree.high, low + max(stretch, 12))
    if isinstance(tree.of, Chars):
        return _run_of_letters(tree.of.letters, low, tree.high, high, stretch)
    write = compile_pattern(tree.of, stretch)
    if low == high:
        return lambda rand: "".join([write(rand) for _ in range(low)])
    return lambda rand: "".join([write(rand) for _ in range(low + int(rand() * (high - low + 1)))])


def _run_of_letters(letters: str, low: int, most_letters: int | None, high: int, stretch: int) -> Write:
    """Return a run of characters: digits, words when the set allows words, else one by one."""
    if low == high and letters == "0123456789" and 0 < low <= 15:  # as _after_fixed_text() has it
        scale = 10**low
        return lambda rand: f"{int(rand() * scale):0{low}d}"
    words = [] if low == most_letters and "0" in letters else _words_of_letters(letters, low, most_letters, stretch)
    if len(words) >= 5:
        return _writer_of_words(words)
    count = len(letters)
    if low == high:
        return lambda rand: "".join([letters[int(rand() * count)] for _ in range(low)])
    return lambda rand: "".join([letters[int(rand() * count)] for _ in range(low + int(rand() * (high - low + 1)))])


def _words_of_letters(letters: str, low: int, most_letters: int | None, stretch: int) -> list[str]:
    """Return words (or two joined) with a length in [low, most], if the set has all lower-case letters."""
    if not set(letters) >= _LETTERS:
        return []
    longest = low + max(stretch, 12) if most_letters is None else most_letters
    joiner = next((mark for mark in (" ", "-", "_") if mark in letters), None)
    words = list(WORDS)
    if joiner is not None:
        words += [f"{left}{joiner}{right}" for left, right in zip(_MIXED[::2], _MIXED[1::2], strict=False)]
    if low > 8 and joiner is not None:
        words += [joiner.join(_MIXED[start : start + low // 5 + 1]) for start in range(len(_MIXED))]
    return [word for word in words if max(low, 1) <= len(word) <= longest]
