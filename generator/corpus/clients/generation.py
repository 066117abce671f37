"""Make the cases of one provider's streams: a grid with one hazard each, and drawn ones."""

from collections.abc import Iterable, Iterator
from functools import cache, reduce
from itertools import accumulate, pairwise
from typing import Any, Literal, cast

import msgspec

from generator.core.errors import FormatError, GeneratorError
from generator.core.seeds import Draw, stream_seed
from generator.core.yaml_values import own_data
from generator.corpus.case import Case, ChunkPlan, Mutation, Oracle
from generator.corpus.check.judge import same_calls
from generator.corpus.chunks import plan_of_bytes
from generator.corpus.clients.reading import StreamAnswer, arguments_of, read_stream
from generator.corpus.clients.turn import (
    BASE,
    CUTS,
    ENDINGS,
    FRAMINGS,
    LONG,
    SHAPES,
    USUAL,
    Event,
    Framing,
    Pieces,
    Provider,
    Turn,
    call,
    compact,
    cuts_in_structure,
    cuts_of_events,
    cuts_of_lines,
    end_early,
    escaped,
    frame,
)
from generator.corpus.generation import weighted
from generator.corpus.grid import hazards as wire_hazards
from generator.corpus.toolbox import TODAY, Usable, drawn_arguments, hard_sentence
from generator.formats.wire.format import ExpectedCall

Reading = Literal["answer", "reversed", "nothing", "part", "error"]
_DEEPEST = 100
"""Levels of an argument; readers of JSON have limits of their own."""
_PLAIN = Framing()
_ONLY_IN_GRID = "ends_inside_character"
_SHORT = 1500
"""Bytes up to which a stream is also sent byte by byte."""


class StreamHazard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that clients get wrong."""

    name: str
    verdict: Literal["y", "n", "i"]
    about: str
    allowed: tuple[Reading, ...] = ()
    only: tuple[str, ...] = ()
    """Names of the providers; none: all that it concerns."""
    change: str = ""
    """Of the provider, where it has another name."""
    shape: str = ""
    """What is said, where it is not the usual answer."""


@cache
def stream_hazards() -> tuple[StreamHazard, ...]:
    """Return the hazards of the table."""
    return msgspec.convert(own_data(__file__, "hazards.yaml"), tuple[StreamHazard, ...])


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """What a case is made from."""

    turn: Turn = BASE
    pieces: Pieces = USUAL
    framing: str = ""
    """Of `FRAMINGS`; empty for the usual one."""
    change: str = ""
    ending: str = ""


class StreamMaker:
    """Makes the cases of one recipe and provider."""

    def __init__(
        self, provider: Provider, tools: dict[str, Usable], seed: int, kinds: Iterable[tuple[str, float]]
    ) -> None:
        self.provider = provider
        self.tools = [
            usable_tool
            for usable_tool in tools.values()
            if usable_tool.is_api_name and (usable_tool.usual or usable_tool.takes_nothing)
        ]
        self.seed = seed
        names, weights = zip(*kinds, strict=True)
        self.kinds = names, tuple(accumulate(weights))
        self.hazards = [hazard for hazard in stream_hazards() if concerns(hazard, provider)]
        drawn = [hazard for hazard in self.hazards if hazard.name not in (*SHAPES, *CUTS, *FRAMINGS, _ONLY_IN_GRID)]
        self.harmless = [hazard for hazard in drawn if hazard.verdict == "y" and not hazard.shape]
        self.others = [hazard for hazard in drawn if hazard.verdict != "y"]


def concerns(hazard: StreamHazard, provider: Provider) -> bool:
    """Whether a provider's stream can have that hazard."""
    if hazard.only and provider.name not in hazard.only:
        return False
    hazard_names = (*FRAMINGS, *SHAPES, *CUTS, *ENDINGS, *provider.changes)
    return (hazard.change or hazard.name) in hazard_names and (hazard.name in hazard_names or bool(hazard.only))


def stream_of(hazard: StreamHazard) -> Stream:
    """Return the small stream with that hazard alone."""
    name = hazard.change or hazard.name
    turn = SHAPES.get(hazard.shape or name, BASE)
    if name in ENDINGS:
        return Stream(ending=name)
    if name in CUTS:
        return Stream(pieces=CUTS[name])
    if name in FRAMINGS:
        return Stream(framing=name)
    return Stream(turn=turn, change="" if name in SHAPES else name)


def bytes_of(provider: Provider, stream: Stream) -> bytes:
    """Return the bytes of a stream."""
    events = provider.events(stream.turn, stream.pieces)
    if stream.change:
        events = provider.changes[stream.change](events)

    def write(events: list[Event]) -> bytes:
        return frame(events, FRAMINGS.get(stream.framing, _PLAIN), provider.newline)

    return end_early(stream.ending, provider, events, stream.turn, write) if stream.ending else write(events)


def grid_streams(maker: StreamMaker) -> Iterator[Case]:
    """Yield one small case for each hazard of streams, and for each hard value of `generator/corpus/hazards.yaml`."""
    plain = bytes_of(maker.provider, Stream())
    for hazard in maker.hazards:
        stream = stream_of(hazard)
        data = bytes_of(maker.provider, stream)
        if data != plain:
            case = _case(maker.provider, stream, data, hazard, f"grid-{hazard.name}", None)
            yield msgspec.structs.replace(case, hazard=hazard.name)
    for name, arguments in _hard_arguments():
        stream = Stream(turn=Turn(None, (call(0, "put_value", arguments),)))
        data = bytes_of(maker.provider, stream)
        case = _case(maker.provider, stream, data, None, f"grid-value-{name}", None)
        yield msgspec.structs.replace(case, hazard=name)


def _hard_arguments() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the values of the grid of wire formats, as arguments."""
    for hazard in wire_hazards():
        value = hazard.value
        if hazard.text is not None and not hazard.text.startswith("$"):
            value = {f"a{hazard.text}b": hazard.text}
        elif hazard.alone is not None:
            value = LONG if hazard.alone == "long" else hazard.alone
        elif 0 < hazard.nested <= _DEEPEST:
            value = reduce(lambda inner, _: {"a": inner}, range(hazard.nested), cast("Any", "x"))
        if value is not msgspec.UNSET:
            yield hazard.name, {"key": "a", "value": value}


def make_stream(maker: StreamMaker, index: int) -> Case:
    """Return the drawn case with that index."""
    draw = Draw(stream_seed("corpus", maker.seed, maker.provider.name, index), TODAY)
    kind = weighted(draw, *maker.kinds)
    varied = kind == "broken" or (kind == "valid" and draw.chance(0.6))
    hazard = draw.choice(maker.others if kind == "broken" else maker.harmless) if varied else None
    stream = Stream(
        turn=_turn(maker, draw, calls=kind != "no_call", full=varied),
        pieces=Pieces(lambda text: _random_pieces(text, draw), escaped if draw.chance(0.3) else compact),
        framing=draw.choice(_harmless_framings()) if draw.chance(0.3) else "",
    )
    if hazard is not None:
        name = hazard.change or hazard.name
        stream = msgspec.structs.replace(stream, **{"ending" if name in ENDINGS else "change": name})
    data = bytes_of(maker.provider, stream)
    return _case(maker.provider, stream, data, hazard, f"{hazard.name if hazard else 'plain'}-{index:06d}", draw)


@cache
def _harmless_framings() -> tuple[str, ...]:
    return tuple([hazard.name for hazard in stream_hazards() if hazard.name in FRAMINGS and hazard.verdict == "y" and not hazard.only])  # fmt: skip


def _random_pieces(text: str, draw: Draw) -> list[str]:
    """Return a text in pieces of drawn sizes."""
    most = draw.choice((3, 9, 30)) if len(text) < _SHORT else 200
    cuts, at = [0], 0
    while (at := at + 1 + draw.below(most)) < len(text):
        cuts.append(at)
    return [text[start:end] for start, end in pairwise([*cuts, len(text)]) if start < end]


def _turn(maker: StreamMaker, draw: Draw, *, calls: bool, full: bool) -> Turn:
    """Return an answer; a full one has a text and at least two calls, which variations need."""
    content = hard_sentence(draw) if full or not calls or draw.chance(0.5) else None
    number = 0 if not calls else draw.between(2 if full else 1, 4)
    calls_made = [call(index, usable_tool.tool.name, drawn_arguments(usable_tool, draw)) for index in range(number) for usable_tool in [draw.choice(maker.tools)]]  # fmt: skip
    return Turn(content, tuple(calls_made), draw.between(20, 4000), draw.between(1, 900))


# ---------------------------------------------------------------------------------------------------------- cases


def _case(
    provider: Provider, stream: Stream, data: bytes, hazard: StreamHazard | None, name: str, draw: Draw | None
) -> Case:
    """Return the case of a stream; a valid one is read back first."""
    verdict = hazard.verdict if hazard else "y"
    turn = stream.turn
    answer = _answer(provider, stream)
    if verdict == "y":
        _prove(provider, stream, data)
    heard = read_stream(provider.name, data) if verdict != "y" and stream.ending else None
    if verdict == "n":
        answer = Oracle((), error=_error_of(provider, data))
    allowed = [
        allowed_reading
        for reading in (hazard.allowed if hazard else ())
        for allowed_reading in _readings(reading, answer, heard)
    ]
    shown = [f"calls_{min(len(turn.calls), 4)}", *(["text"] if turn.content else [])]
    return Case(
        id=name,
        format=provider.name,
        verdict=verdict,
        text=data,
        oracle=answer,
        allowed=tuple(allowed),
        tools=tuple(dict.fromkeys(called.name for called in turn.calls)),
        mutations=tuple(_changes(stream, hazard, len(data))),
        tags=tuple(shown),
        plans=tuple(_plans(data, draw)),
    )


def _changes(stream: Stream, hazard: StreamHazard | None, size: int) -> Iterator[Mutation]:
    """Yield what the case says of how its stream was changed."""
    if hazard is not None and "part" in hazard.allowed:
        yield Mutation("truncate", size)
    for name in dict.fromkeys((stream.framing, hazard.name if hazard else "")):
        if name:
            yield Mutation(name)


def _answer(provider: Provider, stream: Stream) -> Oracle:
    """Return what a client must return of a whole stream: content, calls, why it ended, the usage."""
    usage = stream.turn.usage if stream.change != "no_usage" else msgspec.UNSET
    content = stream.turn.content or None
    return Oracle(stream.turn.expected, content, finish_reason=provider.finish(stream.turn), usage=usage)


def _readings(reading: Reading, answer: Oracle, heard: StreamAnswer | None) -> Iterator[Oracle]:
    """Yield what an `i` case allows under a name."""
    if reading == "answer":
        yield answer
    elif reading == "reversed":
        yield msgspec.structs.replace(answer, tool_calls=answer.tool_calls[::-1])
    elif reading == "nothing":
        yield Oracle(())
    elif reading == "error":
        yield Oracle((), error="the client raises")
    elif heard is None:  # the whole answer, but for what its last event tells
        yield msgspec.structs.replace(answer, finish_reason=msgspec.UNSET, usage=msgspec.UNSET)
    else:
        whole = _whole_calls(heard)
        for calls in (whole, whole[:-1]) if whole else (whole,):
            yield Oracle(calls, heard.content or None, finish_reason=None)


def _whole_calls(heard: StreamAnswer) -> tuple[ExpectedCall, ...]:
    """Return the calls of a stream up to the first whose arguments are not whole."""
    calls = []
    for streamed in heard.calls:
        try:
            calls.append(ExpectedCall(streamed.name, arguments_of(streamed)))
        except FormatError:
            break
    return tuple(calls)


def _prove(provider: Provider, stream: Stream, data: bytes) -> None:
    """Raise GeneratorError unless a reader that knows nothing of how the stream was written returns the same answer."""
    answer = read_stream(provider.name, data)
    read_calls = tuple([ExpectedCall(streamed.name, arguments_of(streamed)) for streamed in answer.calls])
    turn = stream.turn
    same = same_calls(read_calls, turn.expected, strict_numbers=True) and answer.content == (turn.content or "")
    usage = answer.usage == (None if stream.change == "no_usage" else turn.usage)
    if not (same and usage and answer.finish == provider.finish(turn) and answer.error is None):
        raise GeneratorError(f"{provider.name}: a stream was read back otherwise than it was meant ({stream.change})")


def _error_of(provider: Provider, data: bytes) -> str:
    """Return the error that a stream tells."""
    error = read_stream(provider.name, data).error
    if error is None:
        raise GeneratorError(f"{provider.name}: a stream was to tell an error and does not")
    return error


def _plans(data: bytes, draw: Draw | None) -> Iterator[ChunkPlan]:
    """Yield the ways to cut a stream: whole, behind events, inside its structure, and drawn ones."""
    cuts = {"whole": [], "events": list(cuts_of_events(data)), "markers": cuts_in_structure(data)}
    if draw is not None:
        if draw.chance(0.3):
            cuts["lines"] = cuts_of_lines(data)
        cuts["random"] = sorted({draw.between(1, max(1, len(data) - 1)) for _ in range(8)})
        if len(data) <= _SHORT and draw.chance(0.3):
            cuts["characters"] = list(range(1, len(data)))
    for kind, positions in cuts.items():
        yield plan_of_bytes(kind, data, [cut for cut in positions if 0 < cut < len(data)])
