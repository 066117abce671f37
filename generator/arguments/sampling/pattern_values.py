"""Texts that match a regular expression, with words where words fit."""

from collections.abc import Callable
from string import ascii_lowercase

from generator.arguments.reading.patterns import Chain, Chars, Either, Pattern, Run
from generator.arguments.vocabulary.words import WORDS

Rand = Callable[[], float]
Write = Callable[[Rand], str]

_LETTERS = frozenset(ascii_lowercase)
_MIXED = tuple([WORDS[place * 89 % len(WORDS)] for place in range(len(WORDS))])
"""The words so that neighbours do not begin alike: they are joined."""


def compile_pattern(tree: Pattern, stretch: int = 6, least: int = 0) -> Write:
    """Return a writer of matching texts.

    Args:
        tree: the pattern.
        stretch: the most that repetitions get beyond their least length.
        least: the least length of repetitions where the pattern allows it (for texts with a shortest length).
    """
    if isinstance(tree, Chars):
        return _one_of(tree.letters)
    if isinstance(tree, Run):
        return _run(tree, stretch, least)
    if isinstance(tree, Either):
        return _either([compile_pattern(option, stretch, least) for option in tree.options])
    return _chain(tree, stretch, least)


def compile_letters(tree: Pattern, stretch: int) -> Write:
    """Return a writer that never writes words: for patterns that look around for letters of several kinds (passwords)."""
    if isinstance(tree, Chars):
        return _one_of(tree.letters)
    if isinstance(tree, Run):
        write, low = compile_letters(tree.of, stretch), tree.low
        room = (low + stretch if tree.high is None else tree.high) - low + 1
        return lambda rand: "".join([write(rand) for _ in range(low + int(rand() * room))])
    writers = [compile_letters(part, stretch) for part in (tree.options if isinstance(tree, Either) else tree.parts)]
    if isinstance(tree, Either):
        return lambda rand: writers[int(rand() * len(writers))](rand)
    return lambda rand: "".join([write(rand) for write in writers])


def _one_of(letters: str) -> Write:
    count = len(letters)
    if count == 1:
        return _always(letters)
    return lambda rand: letters[int(rand() * count)]


def _chain(tree: Chain, stretch: int, least: int) -> Write:
    writers: list[Write] = []
    fixed = ""
    parts = list(tree.parts)
    while parts:
        part = parts.pop(0)
        if isinstance(part, Chars) and len(part.letters) == 1:
            fixed += part.letters
            continue
        capitalised = _capitalised(part, parts[0], stretch) if parts and not least else None
        if capitalised is not None:
            parts.pop(0)
        writers.append(_after(fixed, capitalised or compile_pattern(part, stretch, least), part))
        fixed = ""
    if fixed or not writers:
        writers.append(_always(fixed))
    return writers[0] if len(writers) == 1 else _joined(writers)


def _either(options: list[Write]) -> Write:
    count = len(options)
    return lambda rand: options[int(rand() * count)](rand)


def _joined(writers: list[Write]) -> Write:
    return lambda rand: "".join([write(rand) for write in writers])


def _always(text: str) -> Write:
    return lambda rand: text


def _after(fixed: str, write: Write, part: Pattern) -> Write:
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


def _capitalised(first: Pattern, rest: Pattern, stretch: int) -> Write | None:
    """Return a word of both parts: one with a capital for `[A-Z][a-z]+`, a plain one for `[a-z][a-z0-9-]*`."""
    if not isinstance(first, Chars) or not isinstance(rest, Run) or not isinstance(rest.of, Chars):
        return None
    is_plain = set(first.letters) >= _LETTERS
    is_code = rest.low == rest.high and "0" in rest.of.letters
    if is_code if is_plain else not first.letters.isupper() or len(first.letters) < 26:
        return None
    words = _words(rest.of.letters, rest.low + 1, None if rest.high is None else rest.high + 1, stretch)
    return _one_word(words if is_plain else [word.capitalize() for word in words]) if words else None


def _one_word(words: list[str]) -> Write:
    count = len(words)
    return lambda rand: words[int(rand() * count)]


def _run(tree: Run, stretch: int, least: int) -> Write:
    low = max(tree.low, least if tree.high is None else min(least, tree.high))
    high = low + stretch if tree.high is None else min(tree.high, low + max(stretch, 12))
    if isinstance(tree.of, Chars):
        return _letters(tree.of.letters, low, tree.high, high, stretch)
    write = compile_pattern(tree.of, stretch)
    if low == high:
        return lambda rand: "".join([write(rand) for _ in range(low)])
    return lambda rand: "".join([write(rand) for _ in range(low + int(rand() * (high - low + 1)))])


def _letters(letters: str, low: int, most: int | None, high: int, stretch: int) -> Write:
    """Return a run of characters: digits, words when the set allows words, else one by one."""
    if low == high and letters == "0123456789" and 0 < low <= 15:  # as _after() has it
        scale = 10**low
        return lambda rand: f"{int(rand() * scale):0{low}d}"
    words = [] if low == most and "0" in letters else _words(letters, low, most, stretch)
    if len(words) >= 5:
        return _one_word(words)
    count = len(letters)
    if low == high:
        return lambda rand: "".join([letters[int(rand() * count)] for _ in range(low)])
    return lambda rand: "".join([letters[int(rand() * count)] for _ in range(low + int(rand() * (high - low + 1)))])


def _words(letters: str, low: int, most: int | None, stretch: int) -> list[str]:
    """Return words (or two joined) with a length in [low, most], if the set has all lower-case letters."""
    if not set(letters) >= _LETTERS:
        return []
    longest = low + max(stretch, 12) if most is None else most
    joiner = next((mark for mark in (" ", "-", "_") if mark in letters), None)
    words = list(WORDS)
    if joiner is not None:
        words += [f"{left}{joiner}{right}" for left, right in zip(_MIXED[::2], _MIXED[1::2], strict=False)]
    if low > 8 and joiner is not None:
        words += [joiner.join(_MIXED[start : start + low // 5 + 1]) for start in range(len(_MIXED))]
    return [word for word in words if max(low, 1) <= len(word) <= longest]
