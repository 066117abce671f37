"""Sessions of coding agents as rows: Claude Code's lines (and its `stream-json`) and Codex's rollouts.

A session is a file of events. Those that are messages become rows: of Claude Code, records of `anthropic`; of Codex, records of
`responses`. A conversation of a subagent is a row of its own, and so is what follows when the agent has summed up what was
said, for the model then sees the summary in place of it. What was taken back is left out and counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

Event = dict[str, Any]
Raw = tuple[int, Any, str, int]
"""Line, record, fault, blank lines."""
_EVENT = frozenset({"sessionId", "session_id", "leafUuid", "isSidechain", "messageId"})
_OF_ROWS = frozenset(
    ["messages", "conversations", "contents", "text", "prompt", "question", "query", "instruction", "input"]
)
_ROLLOUT = frozenset({"type", "ordinal", "instructions", "git"})
_ROLES = ("user", "assistant")
_ITEMS = ("message", "reasoning", "_call", "_output")
"""How types of items end that are said; others are notes of the program."""


def is_session(event: Any) -> bool:
    """Whether a file's first record begins a session."""
    if not isinstance(event, dict) or not _OF_ROWS.isdisjoint(event):
        return False
    return _is_rollout(event) or (isinstance(event.get("type"), str) and not _EVENT.isdisjoint(event))


def _is_rollout(event: Event) -> bool:
    first = {"timestamp", "payload"} if isinstance(event.get("payload"), dict) else {"id", "timestamp"}
    return first <= event.keys() <= first | _ROLLOUT


def rows_of_session(events: Iterator[Raw], mended: Counter[str]) -> Iterator[Raw]:
    """Yield the rows of a session, each with the line of its first message, and the lines that cannot be read."""
    read: list[tuple[int, Event]] = []
    for line, event, fault, lines in events:
        if fault or not isinstance(event, dict):
            yield line, event, fault or "$: is no event of a session", lines
        else:
            read.append((line, event))
    if read:
        mended["session"] += 1
        rows = (
            _codex_conversations(read, mended) if _is_rollout(read[0][1]) else _claude_code_conversations(read, mended)
        )
        try:
            first = next(rows, None)
            if first is None:
                yield read[0][0], None, "$: begins a session without a message that can be read", 1
            yield from ((line, record, "", 1) for line, record in chain([first] if first else [], rows))
        except (AttributeError, KeyError, TypeError, ValueError):
            yield read[0][0], None, "$: begins a session with an event that has not the parts of its type", 1


def _claude_code_conversations(events: list[tuple[int, Event]], mended: Counter[str]) -> Iterator[tuple[int, Event]]:
    """Yield the conversations of Claude Code's lines: each line names the one before it."""
    parent_of: dict[Any, Any] = {}
    rows: dict[Any, list[tuple[int, Any, Event]]] = defaultdict(list)
    roots: dict[Any, Any] = {}
    last_of: dict[Any, Any] = {}
    for line, event in events:
        agent = event.get("parent_tool_use_id")
        key = event.get("uuid", line)
        parent = event.get("parentUuid") if "parentUuid" in event else last_of.get(agent)
        parent_of[key], roots[key] = parent, roots.get(parent, key)
        last_of[agent] = key
        message, kind = event.get("message"), event.get("type")
        if isinstance(message, dict) and "role" not in message and kind in _ROLES:
            mended["no_role"] += 1  # results are the user's, whosever the line is
            message = {**message, "role": "user" if any(map(_is_result, _blocks(message))) else kind}
        if isinstance(message, dict) and message.get("role") in _ROLES:
            if event.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
                mended["not_said"] += 1
            else:
                rows[roots[key]].append((line, key, message))
        else:
            mended["no_message"] += "message" in event or kind in _ROLES
    for lines_of_session in rows.values():
        kept = _messages_not_taken_back(lines_of_session, parent_of)
        mended["not_said"] += len(lines_of_session) - len(kept)
        yield kept[0][0], {"system": "", "messages": list(_joined_messages(message for _, _, message in kept))}


def _messages_not_taken_back(
    lines_of_session: list[tuple[int, Any, Event]], parent_of: dict[Any, Any]
) -> list[tuple[int, Any, Event]]:
    """Return the messages that lead to the last one: what was said before it, with all calls of an answer and their results."""
    chain: set[Any] = set()
    at = lines_of_session[-1][1]
    while at in parent_of and at not in chain:
        chain.add(at)
        at = parent_of[at]
    answers = {
        message.get("id", key)
        for _, key, message in lines_of_session
        if key in chain and message["role"] == "assistant"
    }
    calls = {
        block.get("id")
        for _, key, message in lines_of_session
        if message.get("id", key) in answers
        for block in _blocks(message)
    }
    return [
        (line, key, message)
        for line, key, message in lines_of_session
        if key in chain
        or message.get("id", key) in answers
        or any(block.get("tool_use_id") in calls for block in _blocks(message) if _is_result(block))
    ]


def _blocks(message: Event) -> list[Event]:
    """Return the content of a message as blocks: `"Hi"` → `[{"type": "text", "text": "Hi"}]`."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    return [block if isinstance(block, dict) else {"type": "text", "text": block} for block in blocks]


def _is_result(block: Event) -> bool:
    return block.get("type") == "tool_result"


def _joined_messages(messages: Iterator[Event]) -> Iterator[Event]:
    """Yield messages whose blocks stood in several lines; results stand first in a message."""
    joined: list[Event] = []
    current: Any = None
    for message in messages:
        blocks = _blocks(message)
        name = message.get("id")
        if message["role"] == "assistant" and name is not None and current is not None and current[0] == name:
            current[1]["content"] += blocks
            continue
        if not joined or joined[-1]["role"] != message["role"] or message["role"] == "assistant":
            joined.append({"role": message["role"], "content": []})
        if message["role"] == "assistant":
            current = name, joined[-1]
        joined[-1]["content"] = sorted(joined[-1]["content"] + blocks, key=lambda block: not _is_result(block))
    yield from joined


def _codex_conversations(events: list[tuple[int, Event]], mended: Counter[str]) -> Iterator[tuple[int, Event]]:
    """Yield the conversations of Codex's lines: items of one, until a summary takes the place of what was said."""
    head: Event = {}
    session: Any = None
    items: list[tuple[int, Event]] = []
    for line, event in events:
        kind, payload = event.get("type"), event.get("payload", event)
        if kind == "session_meta":
            if session not in (None, payload.get("id")) and not payload.get("forked_from_id"):  # another one behind it
                yield from _row_of_items(head, items)
            session = payload.get("id")
            instructions = payload.get("base_instructions")
            head = (
                {"instructions": instructions["text"]}
                if isinstance(instructions, dict) and instructions.get("text")
                else {}
            )
        elif kind == "compacted":
            yield from _row_of_items(head, items)
            history = payload.get("replacement_history") or [{"role": "user", "content": payload.get("message")}]
            for item in history:
                _add_item(items, line, {"type": "message"} | item)
        elif payload.get("type") == "thread_rolled_back":
            request_indexes = [at for at, (_, item) in enumerate(items) if item.get("role") == "user"]
            taken_back = request_indexes[-int(payload.get("num_turns", 1)) :]
            mended["not_said"] += len(items[taken_back[0] :]) if taken_back else 0
            items = items[: taken_back[0]] if taken_back else items
        elif kind == "response_item" or payload is event:
            _add_item(items, line, payload)
    yield from _row_of_items(head, items)


def _add_item(items: list[tuple[int, Event]], line: int, item: Event) -> None:
    """Add an item of the conversation; what the user's side says in several items in a row is one message."""
    last = items[-1][1] if items else {}
    sides = [item.get("content"), last.get("content")]
    if item.get("role") == last.get("role") == "user" and all(isinstance(side, list) for side in sides):
        items[-1] = items[-1][0], last | {"content": last["content"] + item["content"]}
    elif str(item.get("type")).endswith(_ITEMS):
        items.append((line, item))


def _row_of_items(head: Event, items: list[tuple[int, Event]]) -> Iterator[tuple[int, Event]]:
    """Yield the row of the items, if there are any, which are gone then."""
    if items:
        yield items[0][0], head | {"input": [item for _, item in items]}
    items.clear()
