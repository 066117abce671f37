"""Events of OpenAI's responses (`stream: true`), and ways to vary them."""

from itertools import zip_longest
from typing import Any

from generator.corpus.clients.turn import Event, Pieces, Provider, Turn


def _event(kind: str, **more: Any) -> Event:
    return Event(kind, {"type": kind, **more})


def _response(status: str, output: list[Any], usage: Any = None, error: Any = None) -> dict[str, Any]:
    made = {"id": "resp_68c1", "object": "response", "created_at": 1772409600, "status": status, "error": error}
    made |= {
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "gpt-4.1-mini",
        "output": output,
    }
    made |= {"parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0}
    return {**made, "usage": usage}


def _usage(turn: Turn) -> dict[str, Any]:
    made: dict[str, Any] = {"input_tokens": turn.input_tokens, "input_tokens_details": {"cached_tokens": 0}}
    made |= {"output_tokens": turn.output_tokens, "output_tokens_details": {"reasoning_tokens": 0}}
    return {**made, "total_tokens": turn.input_tokens + turn.output_tokens}


def _message(place: int, text: str, parts: list[str]) -> tuple[list[Event], dict[str, Any]]:
    item = {"id": f"msg_{place}", "type": "message", "role": "assistant"}
    told: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    where: dict[str, Any] = {"item_id": item["id"], "output_index": place, "content_index": 0}
    done = {**item, "status": "completed", "content": [told]}
    events = [
        _event("response.output_item.added", output_index=place, item={**item, "status": "in_progress", "content": []}),
        _event("response.content_part.added", **where, part={**told, "text": ""}),
        *[_event("response.output_text.delta", **where, delta=part, logprobs=[]) for part in parts],
        _event("response.output_text.done", **where, text=text, logprobs=[]),
        _event("response.content_part.done", **where, part=told),
        _event("response.output_item.done", output_index=place, item=done),
    ]
    return events, done


def _call(place: int, identifier: str, name: str, text: str, parts: list[str]) -> tuple[list[Event], dict[str, Any]]:
    item = {"id": f"fc_{place}", "type": "function_call", "call_id": identifier, "name": name}
    where: dict[str, Any] = {"item_id": item["id"], "output_index": place}
    done = {**item, "status": "completed", "arguments": text}
    added = {**item, "status": "in_progress", "arguments": ""}
    events = [
        _event("response.output_item.added", output_index=place, item=added),
        *[_event("response.function_call_arguments.delta", **where, delta=part) for part in parts],
        _event("response.function_call_arguments.done", **where, name=name, arguments=text),
        _event("response.output_item.done", output_index=place, item=done),
    ]
    return events, done


def _finish(turn: Turn) -> str:
    return "completed"


def _events(turn: Turn, pieces: Pieces) -> list[Event]:
    made = [_event(f"response.{kind}", response=_response("in_progress", [])) for kind in ("created", "in_progress")]
    output: list[dict[str, Any]] = []
    if turn.content is not None:
        events, done = _message(0, turn.content, pieces.cut(turn.content))
        made += events
        output.append(done)
    for place, call in enumerate(turn.calls, start=len(output)):
        text = pieces.write(call.arguments)
        events, done = _call(place, call.id, call.name, text, pieces.cut(text))
        made += events
        output.append(done)
    return _numbered([*made, _event("response.completed", response=_response("completed", output, _usage(turn)))])


def _numbered(events: list[Event]) -> list[Event]:
    return [Event(event.name, {**event.data, "sequence_number": place}) for place, event in enumerate(events)]


# ------------------------------------------------------------------------------------------------------- variations


def _interleaved(events: list[Event]) -> list[Event]:
    """The last two items are told at once."""
    places = [event.data.get("output_index") for event in events]
    last = max(place for place in places if place is not None)
    two = [[event for event in events if event.data.get("output_index") == index] for index in (last - 1, last)]
    mixed = [event for row in zip_longest(*two) for event in row if event is not None]
    first = events.index(two[0][0])
    return _numbered([*events[:first], *mixed, *events[first + len(mixed) :]])


def _reasoning_first(events: list[Event]) -> list[Event]:
    item: dict[str, Any] = {"id": "rs_0", "type": "reasoning", "summary": []}
    kinds = ("response.output_item.added", "response.output_item.done")
    moved = []
    for event in events[2:]:
        more = {"output_index": event.data["output_index"] + 1} if "output_index" in event.data else {}
        if event.name == "response.completed":
            response = event.data["response"]
            more = {"response": {**response, "output": [item, *response["output"]]}}
        moved.append(Event(event.name, {**event.data, **more}))
    return _numbered([*events[:2], *[_event(kind, output_index=0, item=item) for kind in kinds], *moved])


def _empty_deltas(events: list[Event]) -> list[Event]:
    made = []
    for event in events:
        made.append(event)
        if event.name.endswith(".delta"):
            made.append(Event(event.name, {**event.data, "delta": ""}))
    return _numbered(made)


def _failed(events: list[Event]) -> list[Event]:
    """Return a response that ends with `response.failed` instead of `response.completed`."""
    error = {"code": "server_error", "message": "The model failed."}
    return _numbered([*events[:-1], _event("response.failed", response=_response("failed", [], None, error))])


OPENAI_RESPONSES = Provider(
    name="openai_responses",
    about="OpenAI's responses",
    events=_events,
    finish=_finish,
    error=_event("error", code="server_error", message="The server had an error.", param=None, sequence_number=99),
    changes={
        "interleaved_calls": _interleaved,
        "thoughts_first": _reasoning_first,
        "empty_delta": _empty_deltas,
        "response_failed": _failed,
        "unknown_event": lambda events: _numbered([*events[:2], _event("response.x_progress", done=0.5), *events[2:]]),
        "unknown_keys": lambda events: [Event(event.name, {**event.data, "obfuscation": "x9Qe", "x_later": {"a": [1]}}) for event in events],
        "end_marker_too": lambda events: [*events, Event("", "[DONE]")],
    },
)  # fmt: skip
