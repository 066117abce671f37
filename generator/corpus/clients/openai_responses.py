"""Events of OpenAI's responses (`stream: true`), and ways to vary them."""

from typing import Any

from generator.corpus.clients.turn import (
    Change,
    Event,
    Pieces,
    Provider,
    Turn,
    each_followed,
    inserted,
    interleaved,
    with_keys,
)


def _event(kind: str, **more: Any) -> Event:
    return Event(kind, {"type": kind, **more})


def _response(status: str, output: list[Any], usage: Any = None, error: Any = None) -> dict[str, Any]:
    """Return the `response` that some events hold."""
    fields = {"id": "resp_68c1", "object": "response", "created_at": 1772409600, "status": status, "error": error}
    fields |= {"incomplete_details": None, "instructions": None, "metadata": {}}
    fields |= {"model": "gpt-4.1-mini", "output": output}
    fields |= {"parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0}
    return {**fields, "usage": usage}


def _usage(turn: Turn) -> dict[str, Any]:
    """Return the counts of tokens."""
    counts: dict[str, Any] = {"input_tokens": turn.input_tokens, "input_tokens_details": {"cached_tokens": 0}}
    counts |= {"output_tokens": turn.output_tokens, "output_tokens_details": {"reasoning_tokens": 0}}
    return {**counts, "total_tokens": turn.input_tokens + turn.output_tokens}


def _message(index: int, text: str, parts: list[str]) -> tuple[list[Event], dict[str, Any]]:
    """Return the events of a text, and the item that it is in the end."""
    item = {"id": f"msg_{index}", "type": "message", "role": "assistant"}
    text_part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    position: dict[str, Any] = {"item_id": item["id"], "output_index": index, "content_index": 0}
    finished_item = {**item, "status": "completed", "content": [text_part]}
    events = [
        _event("response.output_item.added", output_index=index, item={**item, "status": "in_progress", "content": []}),
        _event("response.content_part.added", **position, part={**text_part, "text": ""}),
        *[_event("response.output_text.delta", **position, delta=part, logprobs=[]) for part in parts],
        _event("response.output_text.done", **position, text=text, logprobs=[]),
        _event("response.content_part.done", **position, part=text_part),
        _event("response.output_item.done", output_index=index, item=finished_item),
    ]
    return events, finished_item


def _call(index: int, identifier: str, name: str, text: str, parts: list[str]) -> tuple[list[Event], dict[str, Any]]:
    """Return the events of a call, and the item that it is in the end."""
    item = {"id": f"fc_{index}", "type": "function_call", "call_id": identifier, "name": name}
    position: dict[str, Any] = {"item_id": item["id"], "output_index": index}
    finished_item = {**item, "status": "completed", "arguments": text}
    new_item = {**item, "status": "in_progress", "arguments": ""}
    events = [
        _event("response.output_item.added", output_index=index, item=new_item),
        *[_event("response.function_call_arguments.delta", **position, delta=part) for part in parts],
        _event("response.function_call_arguments.done", **position, name=name, arguments=text),
        _event("response.output_item.done", output_index=index, item=finished_item),
    ]
    return events, finished_item


def _finish(turn: Turn) -> str:
    return "completed"


def _events(turn: Turn, pieces: Pieces) -> list[Event]:
    """Return the events of a turn."""
    events_made = [
        _event(f"response.{kind}", response=_response("in_progress", [])) for kind in ("created", "in_progress")
    ]
    output: list[dict[str, Any]] = []
    if turn.content is not None:
        events, item = _message(0, turn.content, pieces.cut(turn.content))
        events_made += events
        output.append(item)
    for index, call in enumerate(turn.calls, start=len(output)):
        text = pieces.write(call.arguments)
        events, item = _call(index, call.id, call.name, text, pieces.cut(text))
        events_made += events
        output.append(item)
    return _numbered(
        [*events_made, _event("response.completed", response=_response("completed", output, _usage(turn)))]
    )


def _numbered(events: list[Event]) -> list[Event]:
    return [event.changed(sequence_number=place) for place, event in enumerate(events)]


# ------------------------------------------------------------------------------------------------------- variations


def _renumbered(change: Change) -> Change:
    """Return a change after which events are numbered in their new order."""
    return lambda events: _numbered(change(events))


def _reasoning_first(events: list[Event]) -> list[Event]:
    """Put an item of reasoning before all others."""
    item: dict[str, Any] = {"id": "rs_0", "type": "reasoning", "summary": []}
    kinds = ("response.output_item.added", "response.output_item.done")
    moved = []
    for event in events[2:]:
        more = {"output_index": event.data["output_index"] + 1} if "output_index" in event.data else {}
        if event.name == "response.completed":
            response = event.data["response"]
            more = {"response": {**response, "output": [item, *response["output"]]}}
        moved.append(event.changed(**more))
    return _numbered([*events[:2], *[_event(kind, output_index=0, item=item) for kind in kinds], *moved])


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
        "interleaved_calls": _renumbered(interleaved(lambda event: event.data.get("output_index"), 2)),
        "thoughts_first": _reasoning_first,
        "empty_delta": _renumbered(each_followed(lambda event: [event.changed(delta="")] if event.name.endswith(".delta") else [])),
        "response_failed": _failed,
        "unknown_event": _renumbered(inserted(2, _event("response.x_progress", done=0.5))),
        "unknown_keys": with_keys(obfuscation="x9Qe", x_later={"a": [1]}),
        "end_marker_too": lambda events: [*events, Event("", "[DONE]")],
    },
)  # fmt: skip
