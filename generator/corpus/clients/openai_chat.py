"""Events of OpenAI's chat completions (`stream: true`, `stream_options: {include_usage: true}`), and ways to vary them."""

from typing import Any

from generator.corpus.clients.turn import Change, Event, Pieces, Provider, Turn, inserted, interleaved, with_keys

_DONE = Event("", "[DONE]")


def _chunk(delta: dict[str, Any] | None, finish: str | None = None, usage: Any = None) -> Event:
    """Return an event with one choice that says `delta`, or with none."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    data = {"id": "chatcmpl-Bq7", "object": "chat.completion.chunk", "created": 1772409600, "model": "gpt-4.1-mini"}
    return Event("", {**data, "service_tier": "default", "choices": choices, "usage": usage})


def _finish(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "stop"


def _events(turn: Turn, pieces: Pieces) -> list[Event]:
    """Return the events of a turn."""
    events = [_chunk({"role": "assistant", "content": None if turn.content is None else "", "refusal": None})]
    events += [_chunk({"content": part}) for part in (pieces.cut(turn.content) if turn.content else ())]
    for index, call in enumerate(turn.calls):
        call_head = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        events.append(_chunk({"tool_calls": [{"index": index, **call_head}]}))
        for part in pieces.cut(pieces.write(call.arguments)):
            events.append(_chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    usage = {"prompt_tokens": turn.input_tokens, "completion_tokens": turn.output_tokens}
    total = turn.input_tokens + turn.output_tokens
    return [*events, _chunk({}, _finish(turn)), _chunk(None, usage={**usage, "total_tokens": total}), _DONE]


# ------------------------------------------------------------------------------------------------------- variations


def _calls_in(event: Event) -> list[dict[str, Any]]:
    choices = event.data["choices"] if isinstance(event.data, dict) else ()
    return [call for choice in choices for call in choice["delta"].get("tool_calls") or ()]


def _by_call(events: list[Event]) -> tuple[list[Event], list[list[Event]], list[Event]]:
    """Return the events before the calls, those of each call, and those behind them."""
    indexes = [index for index, event in enumerate(events) if _calls_in(event)]
    groups: dict[int, list[Event]] = {}
    for index in indexes:
        groups.setdefault(_calls_in(events[index])[0]["index"], []).append(events[index])
    return events[: indexes[0]], list(groups.values()), events[indexes[-1] + 1 :]


def _number(event: Event) -> int | None:
    """Return the number of the call that an event is a piece of."""
    return next((call["index"] for call in _calls_in(event)), None)


def _later_index_first(events: list[Event]) -> list[Event]:
    before, calls, after = _by_call(events)
    return [*before, *[event for call in reversed(calls) for event in call], *after]


def _several_in_one_chunk(events: list[Event]) -> list[Event]:
    """All calls begin in one chunk, as they are when they are sent at once."""
    before, calls, after = _by_call(events)
    first = _chunk({"tool_calls": [_calls_in(call[0])[0] for call in calls]})
    return [*before, first, *[event for call in calls for event in call[1:]], *after]


def _each_call(rewrite: Change) -> Change:
    """Return a change that writes the pieces of each call anew."""

    def change(events: list[Event]) -> list[Event]:
        before, calls, after = _by_call(events)
        return [*before, *[event for call in calls for event in rewrite(call)], *after]

    return change


def _piece(event: Event, function: dict[str, Any], **changes: Any) -> Event:
    """Return the piece of a call with other values, of itself and of its function; those that are `...` are left out."""
    part = _calls_in(event)[0]
    inner = {key: value for key, value in {**part["function"], **function}.items() if value is not ...}
    changed_part = {key: value for key, value in {**part, **changes, "function": inner}.items() if value is not ...}
    return _chunk({"tool_calls": [changed_part]})


def _whole(call: list[Event], **more: Any) -> list[Event]:
    text = "".join([_calls_in(event)[0]["function"]["arguments"] for event in call])
    return [_piece(call[0], {"arguments": text}, **more)]


def _later(call: list[Event], function: dict[str, Any], **more: Any) -> list[Event]:
    """Say more in every piece of a call but the first."""
    return [call[0], *[_piece(event, function, **more) for event in call[1:]]]


def _indices(factor: int) -> Change:
    return _each_call(lambda call: [_piece(event, {}, index=factor * _calls_in(event)[0]["index"]) for event in call])


def _finish_with_last(events: list[Event]) -> list[Event]:
    """The last delta has the reason already."""
    *before, last, end, usage, done = events
    choice = {**last.data["choices"][0], "finish_reason": end.data["choices"][0]["finish_reason"]}
    return [*before, last.changed(choices=[choice]), usage, done]


def _usage_with_finish(events: list[Event]) -> list[Event]:
    *before, end, usage, done = events
    return [*before, end.changed(usage=usage.data["usage"]), done]


def _usage_so_far(events: list[Event]) -> list[Event]:
    """Every chunk has the usage up to there, as servers with `continuous_usage_stats` send it."""
    total_usage = events[-2].data["usage"]
    changed_events = []
    for index, event in enumerate(events[:-2]):
        so_far = {"completion_tokens": index, "total_tokens": index + total_usage["prompt_tokens"]}
        changed_events.append(event.changed(usage={**total_usage, **so_far}))
    return [*changed_events, *events[-2:]]


def _role_everywhere(events: list[Event]) -> list[Event]:
    """Give the role in the delta of every chunk."""
    changed_events = []
    for event in events:
        choices = event.data["choices"] if isinstance(event.data, dict) else []
        choices_with_role = [{**choice, "delta": {"role": "assistant", **choice["delta"]}} for choice in choices]
        changed_events.append(event.changed(choices=choices_with_role) if choices else event)
    return changed_events


_NO_CHOICES = {"id": "", "object": "", "created": 0, "model": "", "choices": []}

OPENAI_CHAT = Provider(
    name="openai_chat",
    about="OpenAI's chat completions, which many servers speak",
    events=_events,
    finish=_finish,
    error=Event("", {"error": {"message": "The server had an error.", "type": "server_error", "param": None, "code": None}}),
    changes={
        "interleaved_calls": interleaved(_number),
        "later_index_first": _later_index_first,
        "several_calls_in_one_chunk": _several_in_one_chunk,
        "whole_calls": _each_call(_whole),
        "null_name_later": _each_call(lambda call: _later(call, {"name": None})),
        "empty_name_later": _each_call(lambda call: _later(call, {"name": ""})),
        "identifier_repeated": _each_call(lambda call: _later(call, {}, id=_calls_in(call[0])[0]["id"])),
        "null_identifier_later": _each_call(lambda call: _later(call, {}, id=None, type=None)),
        "placeholder_identifier_later": _each_call(lambda call: _later(call, {}, id="null")),
        "other_identifier_later": _each_call(lambda call: _later(call, {}, id="call_0000")),
        "null_arguments_first": _each_call(lambda call: [_piece(call[0], {"arguments": None}), *call[1:]]),
        "name_alone_first": _each_call(lambda call: [_piece(call[0], {"arguments": ...}), *call[1:]]),
        "index_gap": _indices(2),
        "one_index": _indices(0),
        "no_index": _each_call(lambda call: _whole(call, index=...)),
        "empty_delta": inserted(1, _chunk({}), _chunk({"content": ""})),
        "null_delta_content": inserted(1, _chunk({"content": None, "tool_calls": None})),
        "empty_choices": inserted(0, Event("", _NO_CHOICES).changed(prompt_filter_results=[{"prompt_index": 0}])),
        "finish_with_last_delta": _finish_with_last,
        "usage_with_finish": _usage_with_finish,
        "usage_in_every_chunk": _usage_so_far,
        "no_usage": lambda events: [*events[:-2], events[-1]],
        "role_in_every_chunk": _role_everywhere,
        "unknown_keys": with_keys(obfuscation="x9Qe", x_later={"a": [1]}),  # such as came later
        "no_end_marker": lambda events: events[:-1],
    },
)  # fmt: skip
