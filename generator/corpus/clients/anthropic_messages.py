"""Events of Anthropic's messages (`stream: true`), and ways to vary them."""

from typing import Any

from generator.corpus.clients.turn import Event, Pieces, Provider, Turn, each_followed, inserted, interleaved, with_keys


def _event(kind: str, **more: Any) -> Event:
    return Event(kind, {"type": kind, **more})


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> list[Event]:
    """Return the events of one content block: its start, its deltas, its stop."""
    delta_events = [_event("content_block_delta", index=index, delta=delta) for delta in deltas]
    start = _event("content_block_start", index=index, content_block=block)
    return [start, *delta_events, _event("content_block_stop", index=index)]


def _finish(turn: Turn) -> str:
    return "tool_use" if turn.calls else "end_turn"


def _events(turn: Turn, pieces: Pieces) -> list[Event]:
    """Return the events of a turn."""
    usage = {"input_tokens": turn.input_tokens, "output_tokens": 1}
    message = {"id": "msg_01Xy", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    events = [
        _event("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": usage}),
        _event("ping"),
    ]
    index = 0
    if turn.content is not None:
        deltas = [{"type": "text_delta", "text": part} for part in pieces.cut(turn.content)]
        events += _block(0, {"type": "text", "text": ""}, deltas)
        index = 1
    for block_index, call in enumerate(turn.calls, start=index):
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        parts = ["", *pieces.cut(pieces.write(call.arguments))] if call.arguments else [""]
        events += _block(block_index, block, [{"type": "input_json_delta", "partial_json": part} for part in parts])
    message_end = {"stop_reason": _finish(turn), "stop_sequence": None}
    return [*events, _event("message_delta", delta=message_end, usage=turn.usage), _event("message_stop")]


# ------------------------------------------------------------------------------------------------------- variations


def _is_delta(event: Event, kind: str) -> bool:
    return event.name == "content_block_delta" and event.data["delta"]["type"] == kind


def _moved(events: list[Event], by: int) -> list[Event]:
    """Return events whose blocks have higher indices."""
    return [one.changed(index=one.data["index"] + by) if "index" in one.data else one for one in events]


def _thoughts_first(events: list[Event]) -> list[Event]:
    """Put a block of thoughts before all others."""
    deltas = [
        {"type": "thinking_delta", "thinking": 'Call {"name": "x"}?'},
        {"type": "signature_delta", "signature": "EqQBCg=="},
    ]
    block = {"type": "thinking", "thinking": "", "signature": ""}
    return [*events[:2], *_block(0, block, deltas), *_moved(events[2:], 1)]


def _empty_delta(event: Event) -> list[Event]:
    """Return the event that adds nothing to a delta."""
    if event.name != "content_block_delta":
        return []
    key = "text" if _is_delta(event, "text_delta") else "partial_json"
    return [event.changed(delta={**event.data["delta"], key: ""})]


def _input_tokens_at_start(events: list[Event]) -> list[Event]:
    usage = {"output_tokens": events[-2].data["usage"]["output_tokens"]}
    return [*events[:-2], events[-2].changed(usage=usage), events[-1]]


def _usage_twice(events: list[Event]) -> list[Event]:
    """The counts are told while the answer is made, too; they are sums, not steps."""
    ended = {"stop_reason": None, "stop_sequence": None}
    return [*events[:-2], events[-2].changed(delta=ended, usage={"output_tokens": 9}), *events[-2:]]


ANTHROPIC_MESSAGES = Provider(
    name="anthropic_messages",
    about="Anthropic's messages",
    events=_events,
    finish=_finish,
    error=_event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
    changes={
        "thoughts_first": _thoughts_first,
        "interleaved_calls": interleaved(lambda event: event.data.get("index"), 2),
        "pings": lambda events: each_followed(lambda _: [_event("ping")])(events)[:-1],
        "empty_delta": each_followed(_empty_delta),
        "usage_twice": _usage_twice,
        "input_tokens_at_start": _input_tokens_at_start,
        "unknown_event": inserted(2, _event("x_progress", done=0.5)),
        "unknown_delta": inserted(3, _event("content_block_delta", index=0, delta={"type": "x_delta", "x": "a"})),
        "unknown_block": lambda events: [*events[:2], *_block(0, {"type": "x_block", "x": "a"}, []), *_moved(events[2:], 1)],
        "unknown_keys": with_keys(x_later={"a": [1]}),
        "no_arguments_piece": lambda events: [event for event in events if not (_is_delta(event, "input_json_delta") and not event.data["delta"]["partial_json"])],
        "no_end_marker": lambda events: events[:-1],
    },
)  # fmt: skip
