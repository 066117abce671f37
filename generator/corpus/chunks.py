"""Chunk plans: ways to cut a completion into the pieces that a server would stream.

A parser that is right on the whole text is often wrong on some of its cuts: one piece that holds a whole call, a cut
inside a marker, between a key and its colon, inside a number or an escape. Plans are stored as byte sizes.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import sub

from generator.core.seeds import Draw
from generator.corpus.case import ChunkPlan

KINDS = (
    "whole", "tokens", "several_tokens", "random", "markers", "characters", "inside_characters", "tokenizer", "tokenizer_bytes",
)  # fmt: skip
"""In order; what a plan of each kind does is said in docs/corpora.md."""

_LONG = 3000
_FEW_CHARACTERS = 400
_FIRST_BYTE = re.compile(rb"[\xc0-\xff]")
"""Of a character that takes several bytes."""
_SIGN = r"[\x00-\x08\x0e-\x1b!-/:-@\[-^`{-\x7f]"
"""An ASCII character that is no letter, digit, underscore or white space; as a class of all that it is not it takes 25 ms to compile."""
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_STRUCTURE = re.compile(r"\"\s*:|: ?|\\u?|\d\d|[}\])]|=|\n")


def plans(text: str, special: tuple[str, ...], draw: Draw) -> tuple[ChunkPlan, ...]:
    """Return the plans of one text: whole, in tokens unless it is long, and one of the other ways, which is drawn.

    A parser is wrong on a kind of cut, not on a text: one cut more of the same text finds less than another text does.
    Half of the texts that are not ASCII are also cut inside their characters.
    """
    if not text:
        return ()
    cutter, tokens = _Cutter(text, special), _token_ends(text, special)
    chosen_plans = _usual_plans(cutter, tokens)
    kind = draw.choice(_kinds(len(text)))
    if kind == "several_tokens":
        cuts: Iterable[int] = _cuts_behind_tokens(tokens, draw, len(text))
    elif kind == "random":
        cuts = _random_cuts(len(text), draw)
    elif kind == "markers":
        cuts = _cuts_in_structure(text, cutter.spans, draw)
    else:
        cuts = range(1, len(text))
    chosen_plans.append(cutter.plan(kind, cuts))
    if tokens and not text.isascii() and draw.chance(0.5):
        chosen_plans.append(cutter.inside_characters())
    return tuple(chosen_plans)


def _kinds(length: int) -> tuple[str, ...]:
    """Return the kinds of plans that are drawn for a text of that length."""
    if length > _LONG:
        return ("random", "markers")
    return ("several_tokens", "random", "markers", "characters")[: 4 if length <= _FEW_CHARACTERS else 3]


def token_plans(text: str, special: tuple[str, ...]) -> tuple[ChunkPlan, ...]:
    """Return the plans that depend on the text alone: whole, and in pieces as long as a tokenizer's."""
    if not text:
        return ()
    return tuple(_usual_plans(_Cutter(text, special), _token_ends(text, special)))


def _usual_plans(cutter: "_Cutter", tokens: list[int]) -> list[ChunkPlan]:
    return [cutter.plan("whole", []), *([cutter.plan("tokens", tokens[:-1])] if tokens else [])]


def letter_plan(text: str, special: tuple[str, ...]) -> ChunkPlan:
    """Return the plan that sends every letter alone, and special tokens whole."""
    pattern = _marked(special)
    pieces = re.findall(f"(?:{pattern.pattern})|(?s:.)" if pattern else "(?s:.)", text)
    return tokenizer_plan("letters", text, [piece.encode() for piece in pieces], special)


class _Cutter:
    """A text and its special tokens."""

    def __init__(self, text: str, special: tuple[str, ...]) -> None:
        self.text = text
        self.spans = _special_spans(text, special)
        self.encoded = _HALF_PAIR.sub("\ufffd", text)
        """The text with letters of as many bytes in the place of those that UTF-8 does not have."""

    def plan(self, kind: str, cuts: Iterable[int]) -> ChunkPlan:
        """Return the plan with these cuts, given in characters."""
        places = [0, *cuts, len(self.text)]
        splits = _splits(places, self.spans)
        if self.text.isascii():
            sizes = list(map(sub, places[1:], places))
        else:
            pieces = [self.encoded[before:after] for before, after in pairwise(places)]
            sizes = list(map(len, map(str.encode, pieces)))
        return ChunkPlan(kind, tuple(sizes), True, splits)

    def inside_characters(self) -> ChunkPlan:
        """Return the plan that cuts inside every character of several bytes; only readers of bytes get such pieces."""
        data = self.text.encode(errors="surrogatepass")
        cuts = [match.end() for match in _FIRST_BYTE.finditer(data)]
        sizes = tuple([after - before for before, after in pairwise([0, *cuts, len(data)])])
        torn = any(not self.text[start:end].isascii() for start, end in self.spans)
        return ChunkPlan("inside_characters", sizes, False, torn)


def tokenizer_plan(kind: str, text: str, pieces: Iterable[bytes], special: tuple[str, ...] = ()) -> ChunkPlan:
    """Return the plan that cuts where a real tokenizer does; `pieces` are the bytes of its tokens, in order."""
    spans = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in _special_spans(text, special)]
    return plan_of_bytes(kind, text.encode(), [*accumulate(map(len, pieces))][:-1], spans)


def plan_of_bytes(kind: str, data: bytes, cuts: list[int], spans: Iterable[tuple[int, int]] = ()) -> ChunkPlan:
    """Return the plan with these cuts, given in bytes, as are the spans of special tokens."""
    sizes = tuple([after - before for before, after in pairwise([0, *cuts, len(data)])])
    return ChunkPlan(kind, sizes, all(data[cut] & 0xC0 != 0x80 for cut in cuts), _splits(cuts, spans))


def plans_of_tokens(text: str, pieces: list[bytes], special: tuple[str, ...]) -> Iterator[ChunkPlan]:
    """Yield one plan that cuts where tokens end, as a server delivers them; and one with the bare tokens, if they cut characters."""
    whole_pieces: list[bytes] = []
    torn = b""
    for piece in pieces:
        torn += piece
        if not is_torn(torn):
            whole_pieces.append(torn)
            torn = b""
    yield tokenizer_plan("tokenizer", text, whole_pieces, special)
    if len(whole_pieces) < len(pieces):
        yield tokenizer_plan("tokenizer_bytes", text, pieces, special)


def is_torn(data: bytes) -> bool:
    """Whether bytes end inside a UTF-8 character."""
    with suppress(UnicodeDecodeError):
        data.decode()
        return False
    return True


def size_of(text: str) -> int:
    """Return how many bytes of UTF-8 a text has, halves of surrogate pairs included."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def cut(data: bytes, plan: ChunkPlan) -> list[bytes]:
    """Return the pieces of a completion."""
    return [data[start:end] for start, end in pairwise([0, *accumulate(plan.sizes)])]


@lru_cache(maxsize=64)
def _tokens(special: tuple[str, ...]) -> re.Pattern[str]:
    """Return pieces about as long as a tokenizer's: special tokens whole, up to six letters, three digits, two signs."""
    special_patterns = sorted(map(re.escape, special), key=len, reverse=True)
    no_special = f"(?!{'|'.join(special_patterns)})" if special_patterns else ""
    signs = rf"[\x00-\x7f](?:{no_special}{_SIGN})?"
    return re.compile("|".join([*special_patterns, r" ?[A-Za-z_]{1,6}", r"\d{1,3}", signs, r"(?s:.)"]))


@lru_cache(maxsize=64)
def _marked(special: tuple[str, ...]) -> re.Pattern[str] | None:
    known = sorted(map(re.escape, special), key=len, reverse=True)
    return re.compile("|".join(known)) if known else None


def _special_spans(text: str, special: tuple[str, ...]) -> list[tuple[int, int]]:
    pattern = _marked(special)
    return [match.span() for match in pattern.finditer(text)] if pattern else []


def _token_ends(text: str, special: tuple[str, ...]) -> list[int]:
    """Return where tokens end, in characters; nowhere in a long text."""
    return list(accumulate(map(len, _tokens(special).findall(text)))) if len(text) <= _LONG else []


def _cuts_behind_tokens(ends: list[int], draw: Draw, length: int) -> list[int]:
    """Return cuts behind some tokens: pieces of two to eight of them, or of another number."""
    rand, cuts = draw.rand, []
    at, each = 0, draw.between(2, 8)
    while at + each < len(ends):
        at += each if rand() < 0.7 else 1 + int(rand() * 8)
        if at < len(ends) and ends[at - 1] < length:
            cuts.append(ends[at - 1])
    return cuts


def _random_cuts(length: int, draw: Draw) -> list[int]:
    """Return cuts at drawn distances, in characters."""
    rand, cuts = draw.rand, []
    at, most = 0, draw.choice((3, 12, 40, 200)) if length < _LONG else 200
    while (at := at + 1 + int(rand() * most)) < length:
        cuts.append(at)
    return cuts


def _cuts_in_structure(text: str, spans: list[tuple[int, int]], draw: Draw) -> list[int]:
    """Return cuts inside every special token, and inside or behind half of what gives a call its structure."""
    cuts = {draw.between(start + 1, end - 1) for start, end in spans if end - start > 1}
    if len(text) <= _LONG:
        rand = draw.rand
        for match in _STRUCTURE.finditer(text):
            if rand() < 0.5:
                start, end = match.span()
                cuts.add(start + 1 if end - start > 1 or rand() < 0.5 else start)
    return sorted(cuts - {0, len(text)})


def _splits(cuts: list[int], spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a cut is inside a span; both are in order."""
    for start, end in spans:
        at = bisect_right(cuts, start)
        if at < len(cuts) and cuts[at] < end:
            return True
    return False
