"""The format of a dialect."""

from itertools import pairwise
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.errors import CannotCarryError
from generator.formats.dialect.dialect import Dialect
from generator.formats.dialect.reader import read
from generator.formats.dialect.writer import write
from generator.formats.format import Format, Policy, Read
from generator.formats.steps import split_calls
from generator.formats.text import Guard, any_of, text_record, with_results_in_order, without_added_system
from generator.formats.text_reader import Scanner, read_text_record


def format_of(dialect: Dialect) -> Format:
    """Return the format whose texts are written in this dialect."""
    token = any_of(dialect.tokens)
    guard = Guard(token, names=dialect.calls.tool_names)

    def render(conversation: Conversation) -> dict[str, Any]:
        guard.check(conversation)
        _check_messages(conversation, dialect)
        carried = _carried(conversation, dialect)
        _check_calls(conversation, carried, dialect)
        return text_record(write(carried, dialect))

    def read_text(record: Any) -> Read:
        return read_text_record(record, dialect.fault[0], lambda text: read(Scanner(text, token), dialect))

    return Format(
        name=dialect.name,
        about=dialect.about,
        page=dialect.page,
        render=render,
        read=read_text,
        carries=lambda conversation: _carried(conversation, dialect),
        policy=Policy(
            parallel=dialect.parallel,
            text_beside_calls=dialect.text_beside_calls,
            later_system=dialect.later_system,
            no_content=dialect.no_content,
            ids="none: calls are numbered",
            id_pattern=None,
            train="spans",
            refuses=dialect.tokens,
        ),
        waives=("DF501",) if dialect.later_system else (),
        faults=(dialect.fault,),
        consumers=dialect.consumers,
    )


# ---------------------------------------------------------------------------------------------- what is carried


def _carried(conversation: Conversation, dialect: Dialect) -> Conversation:
    """Return what the dialect carries: calls numbered, results in call order, without what it does not write."""
    ordered = with_results_in_order(
        conversation, trims=dialect.trims == "everything said", later_system=dialect.later_system
    )
    if dialect.parallel == "split":
        ordered = split_calls(ordered)
    if dialect.end_opens:
        _refuse_answers_in_a_row(ordered)
    remade = dialect.tools.carried
    carried = Conversation(
        messages=_trimmed(ordered.messages, dialect),
        tools=ordered.tools if remade is None else tuple([remade(tool) or tool for tool in ordered.tools]),
    )
    if dialect.default_system is not None and dialect.says_default(tools=bool(carried.tools)):
        carried = without_added_system(carried, dialect.default_system)
    return carried if dialect.empty_system else without_added_system(carried, "")


def _trimmed(messages: tuple[Message, ...], dialect: Dialect) -> tuple[Message, ...]:
    """Return the messages without the white space that the template strips from answers."""
    if dialect.trims not in ("answers", "text beside calls"):
        return messages
    answers = dialect.trims == "answers"
    return tuple([_trimmed_answer(message, answers=answers) for message in messages])


def _trimmed_answer(message: Message, *, answers: bool) -> Message:
    if not isinstance(message, AssistantMessage) or not message.content or not (answers or message.tool_calls):
        return message
    said = message.content.strip()
    return msgspec.structs.replace(message, content=(said or None) if message.tool_calls else said)


def _refuse_answers_in_a_row(conversation: Conversation) -> None:
    for i, (before, message) in enumerate(pairwise(conversation.messages), 1):
        if isinstance(message, AssistantMessage) and isinstance(before, AssistantMessage):
            raise CannotCarryError(f"$.messages[{i}]: an answer behind an answer, which ends where the user begins")


# ---------------------------------------------------------------------------------------------- what is refused


def _check_messages(conversation: Conversation, dialect: Dialect) -> None:
    """Raise CannotCarryError for texts that would be lost, or read as something else."""
    tools = dialect.tools
    _check_first_user(conversation, dialect)
    for i, message in enumerate(conversation.messages):
        place, said = f"$.messages[{i}].content", message.content or ""
        if isinstance(message, AssistantMessage):
            if dialect.text_beside_calls == "reject" and message.tool_calls and said:
                raise CannotCarryError(f"{place}: text beside calls, which the template drops")
            if dialect.text_beside_calls == "reject" and said.lstrip().startswith(dialect.calls.begins):
                raise CannotCarryError(f"{place}: begins like a call")
        elif not isinstance(message, ToolMessage):
            if tools.before in said:
                raise CannotCarryError(f"{place}: holds the words that introduce tools")
            if tools.place in ("before system", "user") and said.lstrip().startswith(tools.begins):
                raise CannotCarryError(f"{place}: begins like a tool")


def _check_first_user(conversation: Conversation, dialect: Dialect) -> None:
    if dialect.tools.place != "user" or not conversation.tools:
        return
    for i, message in enumerate(conversation.messages[:2]):
        if isinstance(message, UserMessage):
            return
        if not isinstance(message, SystemMessage):
            raise CannotCarryError(f"$.messages[{i}]: tools stand in the first user message, and there is none here")


def _check_calls(conversation: Conversation, carried: Conversation, dialect: Dialect) -> None:
    for i, tool in enumerate(conversation.tools):
        if dialect.tools.carried is not None and dialect.tools.carried(tool) is None:
            raise CannotCarryError(f"$.tools[{i}]: a tool that cannot be read back from its text")
    schemas = {tool.name: tool.parameters for tool in carried.tools}
    for i, message in enumerate(conversation.messages):
        for j, call in enumerate(message.tool_calls if isinstance(message, AssistantMessage) else ()):
            fault = dialect.calls.check(call, schemas.get(call.name))
            if fault is not None:
                raise CannotCarryError(f"$.messages[{i}].tool_calls[{j}].function{fault}")
