"""The grid: one small case for each format, hazard and position, so that a failure names its cause.

No case depends on another one: a new hazard leaves all others as they are. Every mutation and every way to call nothing is
a hazard, too.
"""

from collections.abc import Callable, Iterator
from functools import cache, reduce
from itertools import count
from typing import Any, TypeVar, cast

import msgspec

from generator.core.seeds import Draw
from generator.core.yaml_values import own_data
from generator.corpus.case import Case, Mutation, Oracle
from generator.corpus.check.judge import same_calls
from generator.corpus.chunks import token_plans
from generator.corpus.generation import NO_CALLS, CaseMaker, case_of_parts
from generator.corpus.mutations import MUTATIONS, BrokenCompletion, Draft, with_replaced
from generator.corpus.oracle import emissions_of
from generator.corpus.toolbox import TODAY, fits
from generator.formats.wire.completions import read, write, write_completion
from generator.formats.wire.format import ExpectedCall, Style, WireFormat

T = TypeVar("T")
_PLACES = {"first": "{} b", "middle": "a {} b", "last": "a {}", "alone": "{}"}
_TOOL_OF = {
    "level": "set_level", "offset": "set_level", "exact": "set_level", "minutes": "set_reminder", "tags": "tag_items",
    "options": "tag_items", "value": "put_value",
}  # fmt: skip
_REQUIRED: dict[str, dict[str, Any]] = {
    "set_level": {"level": 1},
    "tag_items": {"tags": ["a"]},
    "put_value": {"key": "a"},
}
_PLAIN: dict[str, dict[str, Any]] = {"ping": {}, "refresh": {"area": "b"}}
"""Arguments of tools where nothing is hard about them."""
_DRAFT = ExpectedCall("refresh", {"area": "a"})
_MARK = 918273645546372
"""Stands where letters are put."""
_DEEPEST_LITERAL = 100
"""Beyond which Python reads no literal."""
_LONG = "lorem ipsum dolor sit amet, " * 36
_EACH_MARKER = ("drop_marker", "repeat_marker", "tear_marker", "half_marker", "bare_marker")
"""Hazards of one marker: there is a case for each, and for each place of it."""


class _Nth(Draw):
    """Makes choices that are known: the first of all options, or those that are named, in order."""

    __slots__ = ("picks",)

    def __init__(self, *picks: int) -> None:
        super().__init__(0, TODAY)
        self.picks = list(picks)

    def choice(self, options: "tuple[T, ...] | list[T]") -> T:
        return options[min(self.picks.pop(0) if self.picks else 0, len(options) - 1)]

    def between(self, low: int, high: int) -> int:
        return (low + high) // 2

    def below(self, n: int) -> int:
        return n // 2

    def chance(self, probability: float) -> bool:
        return False


_Answer = tuple[str, tuple[ExpectedCall, ...], str | None, Style]
"""Position, calls, what is said before them, and how it is written."""


class Hazard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that parsers get wrong."""

    name: str
    about: str
    text: str | None = None
    alone: str | None = None
    value: Any = msgspec.UNSET
    of: str = ""
    nested: int = 0
    calls: tuple[str | dict[str, dict[str, Any]], ...] = ()
    raw: str | None = None
    escape: bool = False
    said: str = ""
    thoughts: str = ""
    drift: dict[str, str] = {}
    only: tuple[str, ...] = ()


@cache
def hazards() -> tuple[Hazard, ...]:
    """Return the hazards of the table, then the mutations and the texts without calls."""
    rows = own_data(__file__, "hazards.yaml")
    named_pages = [(name, mutate.__doc__) for name, mutate in MUTATIONS.items()]
    named_pages += [(name, speak.__doc__) for name, speak in NO_CALLS.items()]
    derived_hazards = [Hazard(name, (about or name.replace("_", " ")).splitlines()[0]) for name, about in named_pages]
    return (*msgspec.convert(rows, tuple[Hazard, ...]), *derived_hazards)


def grid_cases(maker: CaseMaker) -> Iterator[Case]:
    """Yield all cases of the grid of one format; none where a tool of the grid is not offered."""
    if not {"save_note", "ping", "refresh", "run_query", "register", *_TOOL_OF.values()} <= maker.tools.keys():
        return
    for hazard in hazards():
        if not hazard.only or maker.fmt.name in hazard.only:
            yield from _maker_of(hazard)(maker, hazard)


def _maker_of(hazard: Hazard) -> Callable[[CaseMaker, Hazard], Iterator[Case]]:
    """Return the function that makes the cases of a hazard."""
    if hazard.name in MUTATIONS or hazard.drift:
        return _mutated
    if hazard.name in NO_CALLS:
        return _no_call
    return _raw if hazard.raw is not None else _whole_answers


def _id(hazard: Hazard, position: str) -> str:
    return f"grid-{hazard.name}-{position}" if position else f"grid-{hazard.name}"


def _plain_calls(hazard: Hazard) -> tuple[ExpectedCall, ...]:
    told = [{one: _PLAIN[one]} if isinstance(one, str) else one for one in hazard.calls]
    return tuple([ExpectedCall(name, dict(arguments)) for one in told for name, arguments in one.items()])


def _whole_answers(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    """Yield whole answers: calls, and what is said and thought before them."""
    fmt = maker.fmt
    for position, calls, content, style in (
        _answers_with_words(fmt, hazard) if hazard.said or hazard.thoughts else _answers_with_calls(fmt, hazard)
    ):
        if all(fits(fmt, maker.tools[call.name].tool) for call in calls):
            case = case_of_parts(maker, _id(hazard, position), calls, content, style)
            if hazard.thoughts and not calls and not content:  # some servers take the draft then
                readings = (Oracle(()), Oracle((_DRAFT,)))
                case = msgspec.structs.replace(case, verdict="i", oracle=None, emissions=None, allowed=readings)
            yield _with_hazard(case, maker, hazard, position)


def _answers_with_calls(fmt: WireFormat, hazard: Hazard) -> Iterator[_Answer]:
    """Yield answers with calls in whose values the hazard stands."""
    style = Style(json=fmt.json)
    if hazard.text is None:
        calls = _plain_calls(hazard) or _value_call(fmt, hazard)
        if calls:
            yield "alone" if hazard.alone is not None else "", calls, None, style
        return
    several = hazard.text in ("$marker", "$half_marker")
    for index, text in enumerate(_own_markers(fmt, hazard.text)):
        head = f"{index}-" if several else ""
        for position, around in _PLACES.items():
            yield head + position, (ExpectedCall("save_note", {"text": around.format(text)}),), None, style
        yield f"{head}key", (ExpectedCall("run_query", {"filter": {f"a{text}b": 1}}),), None, style


def _value_call(fmt: WireFormat, hazard: Hazard) -> tuple[ExpectedCall, ...]:
    """Return the call with one value that is hard; none where the format cannot hold it."""
    if hazard.alone is not None:
        return (ExpectedCall("save_note", {"text": _LONG if hazard.alone == "long" else hazard.alone}),)
    if not hazard.nested:
        tool = _TOOL_OF[hazard.of]
        return (ExpectedCall(tool, {**_REQUIRED.get(tool, {}), hazard.of: hazard.value}),)
    if hazard.nested > _DEEPEST_LITERAL and (fmt.arguments in ("python", "braces", "nested") or fmt.words == "repr"):
        return ()
    deep = reduce(lambda inner, _: [inner], range(hazard.nested - 1), cast("Any", "x"))
    return (ExpectedCall("run_query", {"filter": {"a": deep}}),)


def _answers_with_words(fmt: WireFormat, hazard: Hazard) -> Iterator[_Answer]:
    """Yield words or thoughts, and what follows, where the format has them; a text with thoughts says where they begin."""
    if not (fmt.prose if not hazard.thoughts else fmt.thoughts and not fmt.thoughts_inside):
        return
    around = [part.strip() for part in fmt.around_thoughts if hazard.thoughts]
    marker_slot = next((name for name in ("$half_open", "$any") if name in hazard.said + hazard.thoughts), "")
    markers = _own_markers(fmt, marker_slot) if marker_slot else [""]
    clear = [marker for marker in markers if not any(marker in part or part in marker for part in around if marker)]
    for index, marker in enumerate(clear):
        thoughts = hazard.thoughts.replace("$any", marker).replace("$draft", write(fmt, (_DRAFT,)))
        style = Style(json=fmt.json, thoughts=thoughts if hazard.thoughts else None, prompted=not hazard.thoughts)
        content = hazard.said.replace("$half_open", marker)
        yield str(index) if marker_slot == "$any" else "", _plain_calls(hazard), content or None, style


def _own_markers(fmt: WireFormat, text: str) -> list[str]:
    """Return the text, or the markers of the format that it stands for."""
    closing = fmt.markers[-1] if fmt.markers else ""
    others = [marker for marker in fmt.markers if marker not in (fmt.opening, closing)]
    names = {
        "$open": [fmt.opening],
        "$close": [closing],
        "$half": [closing[: len(closing) // 2]],
        "$half_open": [fmt.opening[: len(fmt.opening) // 2]],
        "$end": list(fmt.end[:1]),
        "$any": list(fmt.markers),
        "$marker": others,
        "$half_marker": [marker[: len(marker) // 2] for marker in others],
    }
    return [marker for marker in names.get(text, [text]) if marker]


def _mutated(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    """Yield the smallest answer with one change: one call, or two if one cannot have it."""
    pair = (ExpectedCall("save_note", {"text": "b"}), ExpectedCall("refresh", dict(_PLAIN["refresh"])))
    if hazard.drift:
        yield from _broken(maker, hazard, _plain_calls(hazard) or pair[1:])
        return
    for calls in (pair[:1], pair)[: 1 if maker.fmt.one else 2]:
        cases = list(_broken(maker, hazard, calls))
        if cases:
            yield from cases
            return


def _broken(maker: CaseMaker, hazard: Hazard, calls: tuple[ExpectedCall, ...]) -> Iterator[Case]:
    """Yield the answer with these calls, changed by the mutation of the hazard, once for each marker where it is one of markers."""
    style = Style(json=maker.fmt.json)
    base = case_of_parts(maker, "base", calls, None, style)
    draft = Draft(fmt=maker.fmt, text=base.chars, calls=calls, content=None, style=style)
    texts_so_far = {base.text}
    several = hazard.name in _EACH_MARKER
    for index in count() if several else range(1):
        broken = _drifted(draft, hazard) if hazard.drift else MUTATIONS[hazard.name](draft, _Nth(index))
        text = broken.text.encode("utf-8", "surrogatepass") if broken else base.text
        if broken is None or text in texts_so_far or base.verdict != "y":
            return
        texts_so_far.add(text)
        case = case_of_parts(maker, _id(hazard, str(index) if several else ""), calls, None, style, broken=broken)
        yield _with_hazard(
            case, maker, hazard, "", Mutation("drift" if hazard.drift else hazard.name, None, broken.arg)
        )


def _drifted(draft: Draft, hazard: Hazard) -> BrokenCompletion:
    """Return the text as a model writes it off its template; its calls come first of what may be read."""
    text = draft.text
    for old, new in hazard.drift.items():
        ends = (
            {"$open": draft.fmt.open, "$close": draft.fmt.close} if draft.fmt.open.strip() and draft.fmt.opening else {}
        )
        if old in ends and ends[old] and draft.fmt.call_pieces[0][1] != "object":
            text = text.removeprefix(ends[old]) if old == "$open" else text.removesuffix(ends[old])
        text = text.replace(old, new)
    return BrokenCompletion(text=text, at=0, arg=hazard.name, allowed=(draft.calls, ()))


def _no_call(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    """Yield texts without calls."""
    several = hazard.name in _EACH_MARKER
    texts_so_far: set[str | None] = {None}
    for marker in range(max(1, len(maker.fmt.markers)) if several else 1):
        for position in range(4 if several else 1):
            text = NO_CALLS[hazard.name](maker.fmt, _Nth(marker, position), _DRAFT)
            if text not in texts_so_far:
                texts_so_far.add(text)
                name = _id(hazard, f"{marker}-{position}" if several else "")
                case = case_of_parts(maker, name, (), text, Style(json=maker.fmt.json))
                yield _with_hazard(case, maker, hazard, "", Mutation(hazard.name))


def _raw(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    """Yield the case where an argument is written with these letters; `y` if they have a value, and our reader finds it."""
    fmt, name = maker.fmt, _id(hazard, "")
    if hazard.escape and fmt.arguments not in ("json", "python"):
        return
    tool = _TOOL_OF.get(hazard.of, "save_note")
    mark: str | int = str(_MARK) if hazard.of == "text" else _MARK
    marked = (ExpectedCall(tool, {**_REQUIRED.get(tool, {}), hazard.of: mark}),)
    written = write_completion(fmt, marked, None, Style(json=fmt.json))
    at = written.text.find(str(_MARK))
    if at < 0:
        return
    letters = "a\ud83d" if hazard.raw == "$half_pair" else str(hazard.raw)
    broken = with_replaced(written.text, at, len(str(_MARK)), letters)
    calls = (ExpectedCall(tool, {**_REQUIRED.get(tool, {}), hazard.of: hazard.value}),)
    completion = read(fmt, broken.text, maker.schemas) if hazard.value is not msgspec.UNSET else None
    if completion is not None and not completion.after and same_calls(completion.calls, calls):
        added = len(broken.text) - len(written.text)
        (name_span, (start, end)), *_ = written.calls
        if name_span[0] > at:  # the name stands behind the arguments
            name_span = (name_span[0] + added, name_span[1] + added)
        shifted = msgspec.structs.replace(written, text=broken.text, calls=((name_span, (start, end + added)),))
        case = case_of_parts(maker, name, calls, None, Style(json=fmt.json))
        case = msgspec.structs.replace(
            case, verdict="y", text=broken.text.encode(), allowed=(), emissions=emissions_of(shifted)
        )
        yield _with_hazard(case, maker, hazard, "")
    else:
        case = case_of_parts(maker, name, marked, None, Style(json=fmt.json), broken=broken)
        yield _with_hazard(msgspec.structs.replace(case, oracle=None), maker, hazard, "")


def _with_hazard(case: Case, maker: CaseMaker, hazard: Hazard, position: str, *changes: Mutation) -> Case:
    """Return the case under the name of its hazard, with the position as its tag, and with plans."""
    try:
        plans = token_plans(case.text.decode(), maker.fmt.special)
    except UnicodeDecodeError:
        plans = ()  # no server could deliver it
    tags = (f"position_{position.rpartition('-')[2] or 'only'}",)
    return msgspec.structs.replace(
        case, hazard=hazard.name, tags=tags, tools=(), mutations=(*case.mutations, *changes), plans=plans
    )
