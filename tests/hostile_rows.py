"""Odd conversations that every text format carries, drawn once for all programs that are to read them."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, given, seed, settings
from strategies import conversations, text_without

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, Tool, ToolMessage
from generator.formats import FORMATS

COUNT = 60


@cache
def hostile_rows() -> tuple[Conversation, ...]:
    """Quotes, braces, line breaks, unicode, empty objects, big numbers: everything but control tokens."""
    tokens = tuple(dict.fromkeys(token for fmt in FORMATS.values() for token in fmt.policy.refuses))
    found: dict[bytes, Conversation] = {}

    @seed(7)
    @settings(
        max_examples=2 * COUNT,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(conversation=conversations(text_without((*tokens, "\u2581"))))  # SentencePiece writes a space as U+2581
    def collect(conversation: Conversation) -> None:
        found[msgspec.json.encode(conversation)] = conversation

    collect()
    rows = sorted(found.items(), key=lambda entry: -len(entry[0]))[:COUNT]
    assert len(rows) == COUNT
    return tuple([conversation for _, conversation in rows])


# What some readers can take only: a row that is made to fit is better than a row that is left out.


def each_answer(change: Callable[[AssistantMessage], AssistantMessage]) -> Callable[[Conversation], Conversation]:
    """The conversation with other assistant messages."""

    def changed(conversation: Conversation) -> Conversation:
        messages = [change(m) if isinstance(m, AssistantMessage) else m for m in conversation.messages]
        return msgspec.structs.replace(conversation, messages=tuple(messages))

    return changed


all_learnt = each_answer(lambda message: msgspec.structs.replace(message, train=True))
no_text_beside_calls = each_answer(
    lambda message: msgspec.structs.replace(message, content=None) if message.tool_calls else message
)
no_empty_answers = each_answer(
    lambda message: (
        message if message.tool_calls or message.content else msgspec.structs.replace(message, content="So.")
    )
)


def with_system(conversation: Conversation) -> Conversation:
    """With a system message."""
    if conversation.messages and isinstance(conversation.messages[0], SystemMessage):
        return conversation
    return msgspec.structs.replace(conversation, messages=(SystemMessage(content="Be brief."), *conversation.messages))


def one_step(conversation: Conversation) -> Conversation:
    """Up to the first step of calls, its results, and an answer."""
    messages: list[Message] = []
    called = False
    for message in conversation.messages:
        if called and not isinstance(message, ToolMessage):
            messages.append(AssistantMessage(content="So."))
            break
        messages.append(message)
        called = called or (isinstance(message, AssistantMessage) and bool(message.tool_calls))
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def with_identifiers(conversation: Conversation, keeps: Callable[[Any], bool] = lambda value: True) -> Conversation:
    """Tools and arguments with names that Python takes, and answers that do not look like calls."""

    def named(name: str) -> str:
        return "f_" + re.sub(r"\W", "_", name, flags=re.ASCII)

    def change(message: AssistantMessage) -> AssistantMessage:
        calls = [
            msgspec.structs.replace(
                call,
                name=named(call.name),
                arguments={named(key): value for key, value in call.arguments.items() if keeps(value)},
            )
            for call in message.tool_calls
        ]
        return msgspec.structs.replace(message, content=None if calls else "Done.", tool_calls=tuple(calls))

    tools = [Tool(name=named(tool.name), description=tool.description) for tool in conversation.tools]
    return msgspec.structs.replace(each_answer(change)(conversation), tools=tuple(tools))


def with_plain_arguments(conversation: Conversation) -> Conversation:
    """With identifiers, and without strings, lists and objects as arguments."""
    return with_identifiers(conversation, lambda value: not isinstance(value, str | dict | list))
