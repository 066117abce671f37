"""Where the value of an argument comes from, in words: from a row's proof, or by looking for it."""

import re
from collections.abc import Collection, Iterator
from typing import Any

import msgspec
import orjson

from generator.core.claims import Claim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.pointers import leaves, resolve
from generator.core.values import is_among

_LONGEST_QUOTE = 60


class ValueOrigin(msgspec.Struct, frozen=True):
    """One argument value (or several, when one claim covers them) and its origin."""

    pointer: str
    value: Any
    words: str
    found: bool = True
    span: tuple[int, int, int] | None = None
    """Message and characters [start, end) in its content where a person reads it, if the proof says so."""


def proven_origins(
    call: ToolCall, claims: list[Claim], conversation: Conversation, asked_at: int | None, helped: Collection[Any] = ()
) -> Iterator[ValueOrigin]:
    """Yield origins as the proof claims them; a leaf without a claim is reported as such.

    `asked_at` is the index of the message that asks for the call. `helped` are the arguments of the call before which a policy
    demands this one.
    """
    told: set[str] = set()
    for pointer, value in leaves(call.arguments) if call.arguments else ():
        claim = _claim_for(pointer, claims)
        if claim is None and is_among(value, helped):
            yield ValueOrigin(pointer, value, "as in the call before which the policy wants this one")
        elif claim is None:
            yield ValueOrigin(pointer, value, "the proof does not say", found=False)
        elif claim.pointer not in told:
            told.add(claim.pointer)
            value, words = resolve(call.arguments, claim.pointer), _words(claim, conversation, asked_at)
            yield ValueOrigin(claim.pointer, value, words, span=_span(claim, asked_at))


def found_origins(call: ToolCall, before: int, conversation: Conversation) -> Iterator[ValueOrigin]:
    """Yield origins found by search: values that occur literally in a message before message `before`."""
    for pointer, value in leaves(call.arguments) if call.arguments else ():
        words = _look_for(value, before, conversation)
        yield ValueOrigin(pointer, value, words or "not found literally", found=words is not None)


def _claim_for(pointer: str, claims: list[Claim]) -> Claim | None:
    covering = [c for c in claims if pointer == c.pointer or pointer.startswith(f"{c.pointer}/")]
    return max(covering, key=lambda claim: len(claim.pointer), default=None)


def _words(claim: Claim, conversation: Conversation, asked_at: int | None) -> str:
    quote = _quote(claim, conversation)
    if claim.source == "user":
        return f"the user says {quote}" if quote else "the user says it"
    if claim.source == "earlier_turn":
        return f"said earlier: {quote}" if quote else "said in an earlier turn"
    if claim.source == "context":
        return f"the system message says {quote}" if quote else "from the system message"
    if claim.source == "default":
        return "the default"
    chosen = f" ({claim.pick}{_reference(claim, conversation, asked_at)})" if claim.pick else ""
    if claim.source == "expression":
        return f"computed: {claim.expression}"
    computed = f" ({claim.expression})" if claim.expression else chosen
    return f"result of {_caller(claim.message, conversation)}: {claim.result_pointer or '/'}{computed}"


def _span(claim: Claim, asked_at: int | None) -> tuple[int, int, int] | None:
    """Return where the value is said, or for one from a result which element is meant."""
    message = asked_at if claim.source == "result" else claim.message
    message, start, end = claim.referred or (message, claim.start, claim.end)
    return None if message is None or start is None or end is None else (message, start, end)


def _reference(claim: Claim, conversation: Conversation, asked_at: int | None) -> str:
    """Return the user's words for the element that was picked."""
    index, start, end = claim.referred or (asked_at, claim.start, claim.end)
    message = _message(index, UserMessage, conversation)
    said = message.content if message is not None else ""
    if start is None or end is None or not 0 <= start < end <= len(said):
        return ""
    return f": the user says {_quoted(said[start:end])}"


def _quote(claim: Claim, conversation: Conversation) -> str:
    message = _message(claim.message, object, conversation)
    content = getattr(message, "content", None) or ""
    if claim.start is None or claim.end is None or not 0 <= claim.start < claim.end <= len(content):
        return ""
    return _quoted(content[claim.start : claim.end])


def _quoted(text: str) -> str:
    short = text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"
    return short if text[0] in '“"' else f"“{short}”"


def _message(index: int | None, kind: type, conversation: Conversation) -> Any:
    if index is None or not 0 <= index < len(conversation.messages):
        return None
    message = conversation.messages[index]
    return message if isinstance(message, kind) else None


def _caller(index: int | None, conversation: Conversation) -> str:
    """Return the tool that a tool message answers for."""
    answer = _message(index, ToolMessage, conversation)
    if answer is None:
        return "an earlier call"
    for message in conversation.messages:
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            if call.id == answer.tool_call_id:
                return call.name
    return answer.name or "an earlier call"


def _look_for(value: Any, before: int, conversation: Conversation) -> str | None:
    """Return words for the message that holds the value: users first, then results, then the system message; latest first."""
    earlier = list(enumerate(conversation.messages[:before]))[::-1]
    for kind, words_in in ((UserMessage, _in_text), (ToolMessage, _in_result), (SystemMessage, _in_text)):
        for index, message in earlier:
            words = words_in(value, index, conversation) if isinstance(message, kind) else None
            if words is not None:
                return words
    return None


def _in_text(value: Any, index: int, conversation: Conversation) -> str | None:
    message = conversation.messages[index]
    pattern = _literal(value)
    match = pattern.search(message.content or "") if pattern else None
    speaker = "user" if isinstance(message, UserMessage) else "system message"
    return f"the {speaker} says {_quoted(match[0])}" if match else None


def _in_result(value: Any, index: int, conversation: Conversation) -> str | None:
    content = conversation.messages[index].content or ""
    words = f"result of {_caller(index, conversation)}"
    try:
        result = orjson.loads(content)
    except orjson.JSONDecodeError:
        pattern = _literal(value)
        return words if pattern and pattern.search(content) else None
    if _literal(value) is None:
        return None
    found = (pointer for pointer, leaf in leaves(result) if type(leaf) is type(value) and leaf == value)
    return next((f"{words}: {pointer or '/'}" for pointer in found), None)


def _literal(value: Any) -> re.Pattern[str] | None:
    """Return what to look for in a text; None for values without a distinctive form (true, null, empty)."""
    if isinstance(value, bool) or value is None or value in ("", [], {}):
        return None
    text = value if isinstance(value, str) else str(value)
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)
