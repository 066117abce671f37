"""Events of Anthropic's messages (`stream: true`), and ways to vary them."""

from itertools import zip_longest
from typing import Any

from generator.corpus.clients.turn import Event, Pieces, Provider, Turn


def _event(kind: str, **more: Any) -> Event:
    return Event(kind, {"type": kind, **more})


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> list[Event]:
    made = [_event("content_block_delta", index=index, delta=delta) for delta in deltas]
    start = _event("content_block_start", index=index, content_block=block)
    return [start, *made, _event("content_block_stop", index=index)]


def _finish(turn: Turn) -> str:
    return "tool_use" if turn.calls else "end_turn"


def _events(turn: Turn, pieces: Pieces) -> list[Event]:
    usage = {"input_tokens": turn.input_tokens, "output_tokens": 1}
    message = {"id": "msg_01Xy", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    made = [
        _event("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": usage}),
        _event("ping"),
    ]
    index = 0
    if turn.content is not None:
        deltas = [{"type": "text_delta", "text": part} for part in pieces.cut(turn.content)]
        made += _block(0, {"type": "text", "text": ""}, deltas)
        index = 1
    for place, call in enumerate(turn.calls, start=index):
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        parts = ["", *pieces.cut(pieces.write(call.arguments))] if call.arguments else [""]
        made += _block(place, block, [{"type": "input_json_delta", "partial_json": part} for part in parts])
    ended = {"stop_reason": _finish(turn), "stop_sequence": None}
    return [
        *made,
        _event(
            "message_delta", delta=ended, usage={"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens}
        ),
        _event("message_stop"),
    ]


# ------------------------------------------------------------------------------------------------------- variations


def _at(event: Event) -> int | None:
    found: int | None = event.data.get("index")
    return found


def _is_delta(event: Event, kind: str) -> bool:
    return event.name == "content_block_delta" and event.data["delta"]["type"] == kind


def _moved(events: list[Event], by: int) -> list[Event]:
    """Return events whose blocks have higher indices."""
    return [Event(event.name, {**event.data, "index": event.data["index"] + by}) if "index" in event.data else event for event in events]  # fmt: skip


def _thoughts_first(events: list[Event]) -> list[Event]:
    deltas = [
        {"type": "thinking_delta", "thinking": 'Call {"name": "x"}?'},
        {"type": "signature_delta", "signature": "EqQBCg=="},
    ]
    block = {"type": "thinking", "thinking": "", "signature": ""}
    return [*events[:2], *_block(0, block, deltas), *_moved(events[2:], 1)]


def _interleaved(events: list[Event]) -> list[Event]:
    """The last two blocks are told at once."""
    last = max(index for index in map(_at, events) if index is not None)
    two = [[event for event in events if _at(event) == index] for index in (last - 1, last)]
    mixed = [event for row in zip_longest(*two) for event in row if event is not None]
    first = events.index(two[0][0])
    return [*events[:first], *mixed, *events[first + len(mixed) :]]


def _pings(events: list[Event]) -> list[Event]:
    return [one for event in events for one in (event, _event("ping"))][:-1]


def _empty_deltas(events: list[Event]) -> list[Event]:
    made = []
    for event in events:
        made.append(event)
        if event.name == "content_block_delta":
            key = "text" if _is_delta(event, "text_delta") else "partial_json"
            made.append(Event(event.name, {**event.data, "delta": {**event.data["delta"], key: ""}}))
    return made


def _input_tokens_at_start(events: list[Event]) -> list[Event]:
    usage = {"output_tokens": events[-2].data["usage"]["output_tokens"]}
    return [*events[:-2], Event("message_delta", {**events[-2].data, "usage": usage}), events[-1]]


def _usage_twice(events: list[Event]) -> list[Event]:
    """The counts are told while the answer is made, too; they are sums, not steps."""
    early = Event(
        "message_delta",
        {**events[-2].data, "delta": {"stop_reason": None, "stop_sequence": None}, "usage": {"output_tokens": 9}},
    )
    return [*events[:-2], early, *events[-2:]]


ANTHROPIC_MESSAGES = Provider(
    name="anthropic_messages",
    about="Anthropic's messages",
    events=_events,
    finish=_finish,
    error=_event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
    changes={
        "thoughts_first": _thoughts_first,
        "interleaved_calls": _interleaved,
        "pings": _pings,
        "empty_delta": _empty_deltas,
        "usage_twice": _usage_twice,
        "input_tokens_at_start": _input_tokens_at_start,
        "unknown_event": lambda events: [*events[:2], _event("x_progress", done=0.5), *events[2:]],
        "unknown_delta": lambda events: [*events[:3], _event("content_block_delta", index=0, delta={"type": "x_delta", "x": "a"}), *events[3:]],
        "unknown_block": lambda events: [*events[:2], *_block(0, {"type": "x_block", "x": "a"}, []), *_moved(events[2:], 1)],
        "unknown_keys": lambda events: [Event(event.name, {**event.data, "x_later": {"a": [1]}}) for event in events],
        "no_arguments_piece": lambda events: [event for event in events if not (_is_delta(event, "input_json_delta") and not event.data["delta"]["partial_json"])],
        "no_end_marker": lambda events: events[:-1],
    },
)  # fmt: skip
