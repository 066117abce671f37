"""Hypothesis strategies for single values: texts, numbers, listed values, and any JSON value.

Everything is put together from small choices (see strategies.py).
"""

from datetime import date
from functools import partial
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generator.arguments.reading.nodes import NumberNode, StringNode
from generator.arguments.reading.patterns import Chars, Either, Pattern, Run, read_pattern
from generator.arguments.sampling.edges import hostile_texts
from generator.arguments.sampling.leaves import ArgumentLocation, Hints, Test, make_text, tester
from generator.arguments.sampling.numbers import allows, edge_numbers
from generator.arguments.sampling.pattern_values import compile_pattern
from generator.core.seeds import Draw

Strategy = SearchStrategy[Any]

FEW = 99
"""Limit of the integers that are drawn from Hypothesis directly."""
_FARTHEST = 2**53 - 1
_LONGEST_TEXT = 40
_LONGEST_RUN = 20
_ROOMY = 60
_USUAL = 150


def _range(first: int, last: int) -> str:
    return "".join(chr(code) for code in range(first, last + 1))


ASCII = _range(32, 126)
_PAGES = (
    ASCII,
    _range(0xA1, 0xFF),
    _range(0x391, 0x3A1) + _range(0x3B1, 0x3C9) + _range(0x410, 0x43F),
    _range(0x4E00, 0x4E2F) + _range(0x3041, 0x3060) + _range(0xAC00, 0xAC10),
    _range(0x5D0, 0x5EA) + _range(0x627, 0x64A) + _range(0x905, 0x914),
    _range(0x1F600, 0x1F640) + "\u200d\ufe0f❤🇳🇴👩🚀🏽",
    _range(0, 31) + "\x7f\x85\xa0\xad\u0301\u0308\u200b\u200e\u200f\u202a\u202e\u2028\u2029\u2060\ufeff\ufffd\uffff",
    "\"\\'`{}[]<>&%$#@!?,.;:/|=+-_*~^()\t\n\r ",
)
_PIECES = (
    '","',
    "}}",
    "\\n",
    "\\u0041",
    "```",
    "</b>",
    "%s",
    "${x}",
    "&amp;",
    "null",
    "None",
    "0x1F",
    "1e5",
    "-->",
    "//",
)


def number_strategy(node: NumberNode) -> Strategy:
    """Return a strategy of numbers: at the bounds, small ones, and any others."""
    low = -_FARTHEST if node.low is None else node.low
    high = _FARTHEST if node.high is None else node.high
    edges = edge_numbers(node)
    parts = [sampled(edges)] if edges else []
    step = node.step
    if step is not None:
        over, under = step.numerator, step.denominator
        steps = integers(int(-(-low // step)), int(high // step))
        whole = steps.map(lambda k: k * over // under if k * over % under == 0 else k * over / under)
        return st.one_of([*parts, whole.filter(lambda value: allows(node, value))])
    for scale in (1, 10, 1000, 10**6, 10**12):
        first, last = int(-(-low * scale // 1)), int(high * scale // 1)
        if first <= last:
            near = integers(max(first, -_FARTHEST), min(last, _FARTHEST)) if first <= _FARTHEST else st.nothing()
            parts.append(near.map(partial(_scaled_down, scale)))
    ends = [float(bound) for bound in (node.low, node.high) if bound is not None]
    parts += [sampled(tuple(ends))] if ends else []
    if len(ends) == 2:
        parts.append(st.integers(0, 64).map(lambda part: ends[0] + (ends[1] - ends[0]) * part / 64))
    return st.one_of(parts).filter(lambda value: allows(node, value))


def integers(low: int, high: int) -> SearchStrategy[int]:
    """Return a strategy of the integers of a range: its ends, small ones, any others."""
    if low > high:
        return st.nothing()
    parts: list[SearchStrategy[int]] = []
    if max(low, -FEW) <= min(high, FEW):
        parts.append(st.integers(max(low, -FEW), min(high, FEW)))
    if low < -FEW or high > FEW:
        width = high - low + 1
        pairs = (len(str(width)) + 2) // 2
        digits = st.tuples(*[st.integers(0, FEW)] * pairs)
        parts.append(digits.map(lambda found: low + _number(found) % width))
        ends = (low, low + 1, high - 1, high, 0, 1, -1, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**32)
        parts.append(sampled(tuple(end for end in dict.fromkeys(ends) if low <= end <= high)))
    return st.one_of(parts)


def text_strategy(node: StringNode) -> Strategy:
    """Return a strategy of texts in all scripts; with a pattern or format, also typical texts of that form."""
    is_valid = tester(node.schema)
    parts: list[Strategy] = []
    edges = hostile_texts(node, is_valid)
    if edges:
        parts.append(sampled(edges))
    if node.patterns and (tree := _samplable(node, is_valid)) is not None:
        parts.append(_pattern(tree, node.shortest).filter(is_valid))
    if node.format in FORMATS and not node.patterns and (node.longest is None or node.longest >= _ROOMY):
        parts.append(FORMATS[node.format].filter(is_valid))
    if node.patterns or node.format is not None:
        parts.append(sampled(_usual(node, is_valid)))
    else:
        longest = (
            node.shortest + _LONGEST_TEXT if node.longest is None else min(node.longest, node.shortest + _LONGEST_TEXT)
        )
        parts += [letters(ASCII, node.shortest, longest), _mixed_letters(node.shortest, longest)]
        if node.longest is None:
            pieces = st.lists(
                st.one_of(sampled(_PIECES), letters(ASCII, 1, 6)), min_size=node.shortest, max_size=longest
            )
            parts.append(pieces.map("".join))
    return st.one_of(parts)


def _samplable(node: StringNode, is_valid: Test) -> Pattern | None:
    """Return the pattern's tree; None if so few of its texts are valid that Hypothesis would discard most draws."""
    tree = read_pattern(node.patterns[0])
    write = compile_pattern(tree, _LONGEST_RUN, node.shortest)
    rand = Draw(0, date(2026, 3, 1)).rand
    return tree if sum(is_valid(write(rand)) for _ in range(20)) >= 10 else None


def _usual(node: StringNode, is_valid: Test) -> tuple[Any, ...]:
    draw = Draw(0, date(2026, 3, 1))
    make = make_text(node, ArgumentLocation(""), Hints(seed=0))
    found = dict.fromkeys(make(draw) for _ in range(_USUAL))
    return tuple(value for value in found if is_valid(value))


def sampled(values: tuple[Any, ...]) -> Strategy:
    """Return a strategy of the given values, chosen from few at a time."""
    if len(values) <= FEW:
        return st.sampled_from(values)
    size = -(-len(values) // FEW)
    return st.one_of([sampled(values[start : start + size]) for start in range(0, len(values), size)])


def letters(choice: str, fewest: int, most: int) -> SearchStrategy[str]:
    """Return a strategy of texts of some of the letters."""
    return st.lists(sampled(tuple(choice)), min_size=fewest, max_size=most).map("".join)


def _mixed_letters(fewest: int, most: int) -> SearchStrategy[str]:
    letter = st.one_of([sampled(tuple(page)) for page in _PAGES])
    return st.lists(letter, min_size=fewest, max_size=most).map("".join)


def _pattern(tree: Pattern, least: int) -> SearchStrategy[str]:
    if isinstance(tree, Chars):
        return sampled(tuple(tree.letters))
    if isinstance(tree, Run):
        fewest = max(tree.low, least if tree.high is None else min(least, tree.high))
        most = fewest + _LONGEST_RUN if tree.high is None else min(tree.high, fewest + _LONGEST_RUN)
        return st.lists(_pattern(tree.of, 0), min_size=fewest, max_size=most).map("".join)
    if isinstance(tree, Either):
        return st.one_of([_pattern(option, least) for option in tree.options])
    return st.tuples(*[_pattern(part, least) for part in tree.parts]).map("".join)


def any_value() -> Strategy:
    """Return a strategy of any JSON values of small depth."""
    scalar = st.one_of(
        st.none(), st.booleans(), integers(-_FARTHEST, _FARTHEST), letters(ASCII, 0, 12), _mixed_letters(0, 12)
    )
    return st.one_of(scalar, st.lists(scalar, max_size=4), st.dictionaries(letters(ASCII, 1, 8), scalar, max_size=4))


def _number(digits: tuple[int, ...]) -> int:
    found = 0
    for pair in digits:
        found = found * 100 + pair
    return found


def _two(number: int) -> str:
    return f"{number:02d}"


def _format_strategies() -> dict[str, SearchStrategy[str]]:
    days = integers(1, date(9999, 12, 31).toordinal()).map(lambda day: date.fromordinal(day).isoformat())
    sixty = st.integers(0, 59).map(_two)
    fraction = st.sampled_from(("", "", ".5", ".123", ".000001"))
    offset = st.sampled_from(("Z", "Z", "+00:00", "-08:00", "+05:45", "+14:00", "-12:00"))
    times = st.tuples(st.integers(0, 23).map(_two), st.just(":"), sixty, st.just(":"), sixty, fraction, offset).map(
        "".join
    )
    hexes = "0123456789abcdef"
    label = st.tuples(letters(ASCII[65:91], 1, 10), letters(ASCII[16:26], 0, 2)).map("".join)
    host = st.lists(label, min_size=2, max_size=4).map(".".join)
    local = st.lists(label, min_size=1, max_size=3).flatmap(
        lambda labels: st.sampled_from((".", "+", "_", "-")).map(lambda mark: mark.join(labels))
    )
    path = st.lists(letters(ASCII[65:91] + "0123456789-._~", 1, 8), max_size=4).map(
        lambda parts: "".join(f"/{part}" for part in parts)
    )
    query = st.one_of(st.just(""), st.tuples(label, label).map(lambda pair: f"?{pair[0]}={pair[1]}"))
    scheme = st.sampled_from(("https://", "http://", "ftp://"))
    uri = st.tuples(scheme, host, path, query).map("".join)
    byte = integers(0, 255).map(str)
    return cast(
        "dict[str, SearchStrategy[str]]",
        {
            "date": days,
            "time": times,
            "date-time": st.tuples(days, st.just("T"), times).map("".join),
            "email": st.tuples(local, host).map("@".join),
            "idn-email": st.tuples(local, host).map("@".join),
            "hostname": host,
            "uri": uri,
            "iri": uri,
            "uri-reference": st.one_of(uri, path),
            "iri-reference": st.one_of(uri, path),
            "ipv4": st.tuples(byte, byte, byte, byte).map(".".join),
            "ipv6": st.lists(letters(hexes, 1, 4), min_size=8, max_size=8).map(":".join),
            "uuid": letters(hexes, 32, 32).map(
                lambda digits: "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
            ),
        },
    )


def _scaled_down(scale: int, value: int) -> float:
    return value // scale if value % scale == 0 else value / scale


FORMATS = _format_strategies()
