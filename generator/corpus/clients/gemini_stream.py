"""Chunks of Gemini's `streamGenerateContent?alt=sse`, and ways to vary them. Calls come whole, in parts of a candidate."""

from collections.abc import Callable
from typing import Any

from generator.corpus.clients.turn import Change, Event, Pieces, Provider, Turn, inserted, with_keys


def _chunk(parts: list[dict[str, Any]] | None, finish: str | None = None, **more: Any) -> Event:
    """Return an event with these parts of the candidate."""
    candidate: dict[str, Any] = {"index": 0}
    if parts is not None:
        candidate["content"] = {"parts": parts, "role": "model"}
    if finish:
        candidate["finishReason"] = finish
    return Event("", {"candidates": [candidate], **more, "modelVersion": "gemini-2.5-flash", "responseId": "tTCwac"})


def _finish(turn: Turn) -> str:
    return "STOP"


def _events(turn: Turn, pieces: Pieces) -> list[Event]:
    """Return the events of a turn."""
    parts_by_chunk: list[list[dict[str, Any]]] = [
        [{"text": part}] for part in (pieces.cut(turn.content) if turn.content else [])
    ]
    parts_by_chunk += [
        [{"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}] for call in turn.calls
    ]
    usage = {"promptTokenCount": turn.input_tokens, "totalTokenCount": turn.input_tokens}
    end = {"promptTokenCount": turn.input_tokens, "candidatesTokenCount": turn.output_tokens}
    total = turn.input_tokens + turn.output_tokens
    last = _chunk([{"text": ""}], "STOP", usageMetadata={**end, "totalTokenCount": total})
    return [*[_chunk(parts, usageMetadata=usage) for parts in parts_by_chunk], last]


# ------------------------------------------------------------------------------------------------------- variations


def _parts(event: Event) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = event.data["candidates"][0]["content"]["parts"]
    return found


def _with(event: Event, parts: list[dict[str, Any]]) -> Event:
    candidate = event.data["candidates"][0]
    return event.changed(candidates=[{**candidate, "content": {"parts": parts, "role": "model"}}])


def _one_chunk(events: list[Event]) -> list[Event]:
    """Return all calls in the last chunk."""
    calls = [part for event in events for part in _parts(event) if "functionCall" in part]
    before = [event for event in events[:-1] if not any("functionCall" in part for part in _parts(event))]
    return [*before, _with(events[-1], calls)]


def _each_call(rewrite: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
    """Return a change of the parts that are calls."""
    return lambda events: [
        _with(event, [rewrite(part) if "functionCall" in part else part for part in _parts(event)]) for event in events
    ]


def _without(part: dict[str, Any], key: str, *values: Any) -> dict[str, Any]:
    """Return a part without a key of its call, where that has one of these values (any: none named)."""
    call = part["functionCall"]
    return {"functionCall": {name: call[name] for name in call if name != key or (values and call[name] not in values)}}


def _no_content_at_end(events: list[Event]) -> list[Event]:
    return [*events[:-1], events[-1].changed(candidates=[{"index": 0, "finishReason": "STOP"}])]


def _usage_apart(events: list[Event]) -> list[Event]:
    """The counts are told in a chunk without candidates."""
    last = dict(events[-1].data)
    usage = last.pop("usageMetadata")
    return [*events[:-1], Event("", last), Event("", {"usageMetadata": usage, "responseId": "tTCwac"})]


GEMINI_STREAM = Provider(
    name="gemini_stream",
    about="Gemini's generateContent",
    events=_events,
    finish=_finish,
    error=Event("", {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}),
    changes={
        "several_calls_in_one_chunk": _one_chunk,
        "thoughts_first": inserted(0, _chunk([{"text": "Maybe?", "thought": True}])),
        "signatures": _each_call(lambda part: {**part, "thoughtSignature": "AY89a18iOcFus5w="}),
        "no_identifiers": _each_call(lambda part: _without(part, "id")),
        "empty_delta": inserted(0, _chunk([{"text": ""}])),
        "no_content_at_end": _no_content_at_end,
        "empty_parts": lambda events: [*events[:-1], _with(events[-1], [])],
        "usage_apart": _usage_apart,
        "arguments_left_out": _each_call(lambda part: _without(part, "args", {})),
        "blocked_prompt": lambda events: [Event("", {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 61}})],
        "unknown_part": inserted(0, _chunk([{"xPart": {"a": 1}}])),
        "unknown_keys": with_keys(xLater={"a": [1]}),
    },
    newline="\r\n",
)  # fmt: skip
