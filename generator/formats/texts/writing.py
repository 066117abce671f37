"""A conversation as a text in some dialect: what is carried, what is refused, and the text."""

import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Thoughts,
    Tool,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.core.toolbox import once_per_tool
from generator.formats.format import compact_json
from generator.formats.steps import Part, in_call_order, split_calls, thoughts_of, with_new_ids, without_parts
from generator.formats.text import Segment, tool_json
from generator.formats.texts.dialect import NINE_LETTERS, OWN_ID, Dialect, Trims
from generator.formats.texts.notes import notes_text


def carried(conversation: Conversation, dialect: Dialect) -> Conversation:
    """Return what the dialect carries: results in call order and named after the tool, calls numbered where ids are not written.

    Beside calls, empty content and no content are the same; without calls, no content is empty content.

    Raises:
        CannotCarryError: when results and calls cannot be paired by order, or a system message has no place.
    """
    lost: list[Part] = ["is_error"]
    lost += [] if dialect.speakers else ["speakers"]
    lost += [] if dialect.thoughts else ["thoughts"]
    ordered = in_call_order(without_parts(conversation, *lost), numbered=dialect.id != OWN_ID)
    messages = [_carried_message(message, index, dialect) for index, message in enumerate(ordered.messages)]
    if dialect.system_in_user and messages and isinstance(messages[0], SystemMessage):
        messages = _system_in_last_user(messages)
    ordered = Conversation(messages=tuple(messages), tools=ordered.tools)
    if dialect.parallel == "split":
        ordered = split_calls(ordered)
    if dialect.id and dialect.id != OWN_ID:
        ordered = with_new_ids(ordered, lambda number, call: dialect.id_of(call.name, number))
    if dialect.end_opens:
        _refuse_answers_in_a_row(ordered)
    remade = dialect.tools.tool.carried
    carried = msgspec.structs.replace(ordered, tools=tuple([remade(tool) or tool for tool in ordered.tools]))
    if dialect.default_system is not None and dialect.says_default(tools=bool(carried.tools)):
        carried = _without_added_system(carried, dialect.default_system)
    empty = dialect.empty_system and (carried.tools or not _flags(carried.messages, dialect))
    return carried if empty else _without_added_system(carried, "")


def _carried_message(message: Message, index: int, dialect: Dialect) -> Message:
    """Return a message as the dialect carries it, without white space that is taken off."""
    if isinstance(message, SystemMessage) and index and dialect.later_system != "written":
        raise CannotCarryError(f"$.messages[{index}]: a system message that is not the first message")
    if isinstance(message, ToolMessage):
        try:
            content: str | None = dialect.result_content.carried(message.content)
        except ValueError as fault:
            raise CannotCarryError(f"$.messages[{index}].content: {fault}") from None
    else:
        content = _trimmed(message, dialect.trims)
    if isinstance(message, AssistantMessage):
        content = (content or None) if message.tool_calls else (content or "")
        if message.thoughts == Thoughts():
            message = msgspec.structs.replace(message, thoughts=None)
    return message if content == message.content else msgspec.structs.replace(message, content=content)


def _trimmed(message: Message, trims: Trims) -> str | None:
    """Return the content of a message without the white space that the template takes off."""
    content, answers = message.content, isinstance(message, AssistantMessage)
    if content is None or trims == "everything said":
        return content and content.strip()
    if trims == "spaces behind answers":
        return content.rstrip(" ") if answers else content
    beside_calls = isinstance(message, AssistantMessage) and bool(message.tool_calls)
    return (
        content.strip()
        if (answers and trims == "answers") or (beside_calls and trims == "text beside calls")
        else content
    )


def _system_in_last_user(messages: list[Message]) -> list[Message]:
    """Return the messages with the system message as the beginning of the last one of the user."""
    system, *rest = messages
    last = max((i for i, message in enumerate(rest) if isinstance(message, UserMessage)), default=None)
    if last is None:
        raise CannotCarryError("$.messages[0]: a system message without a user message to stand in")
    if system.content:
        rest[last] = msgspec.structs.replace(rest[last], content=f"{system.content}\n\n{rest[last].content}")
    return rest


def _without_added_system(conversation: Conversation, added_text: str) -> Conversation:
    """Return the conversation without its system message if that is only this text, which the template adds."""
    messages = conversation.messages
    if messages and messages[0] == SystemMessage(content=added_text):
        return msgspec.structs.replace(conversation, messages=messages[1:])
    return conversation


def _refuse_answers_in_a_row(conversation: Conversation) -> None:
    """Raise CannotCarryError for two answers one after the other: an answer ends where the user's turn begins."""
    for i, (before, message) in enumerate(pairwise(conversation.messages), 1):
        if isinstance(message, AssistantMessage) and isinstance(before, AssistantMessage):
            raise CannotCarryError(f"$.messages[{i}]: an answer behind an answer, which ends where the user begins")


# ---------------------------------------------------------------------------------------------- what is refused


class TokenGuard:
    """Refuses conversations that hold one of a format's control tokens, or names of tools that cannot be written."""

    def __init__(self, tokens: re.Pattern[str], names: str | None) -> None:
        """What is refused: control tokens in any string, and names of tools that do not match `names` as a whole."""
        self._tokens = tokens
        self._fits = re.compile(names).fullmatch if names else None

        @once_per_tool
        def fault_of_tool(tool: Tool) -> str | None:
            return self._token_in(tool_json(tool)) or self._name_fault(tool.name)

        self._fault_of_tool = fault_of_tool

    def check(self, conversation: Conversation) -> None:
        """Raise CannotCarryError with the place of the first such string, and the token."""
        for i, tool in enumerate(conversation.tools):
            _refuse(self._fault_of_tool(tool), f"$.tools[{i}]")
        for i, message in enumerate(conversation.messages):
            path = f"$.messages[{i}]"
            _refuse(self._token_in(message.content), f"{path}.content")
            _refuse(self._token_in(message.name), f"{path}.name")
            if isinstance(message, AssistantMessage):
                for block, thought in thoughts_of(message):
                    _refuse(self._token_in(thought), f"{path}.thoughts.{block}")
                for j, call in enumerate(message.tool_calls):
                    call_path = f"{path}.tool_calls[{j}].function"
                    _refuse(self._token_in(compact_json(call.name)) or self._name_fault(call.name), f"{call_path}.name")
                    _refuse(self._token_in(compact_json(call.arguments)), f"{call_path}.arguments")

    def _token_in(self, text: str | None) -> str | None:
        match = self._tokens.search(text) if text else None
        return f"holds the control token {match.group()}" if match else None

    def _name_fault(self, name: str) -> str | None:
        """Return why the tool's name cannot be written; None if it can."""
        if self._fits is None or self._fits(name):
            return None
        return f"the tool's name {name[:80]!r} cannot be written without quotes"


def _refuse(fault: str | None, place: str) -> None:
    if fault is not None:
        raise CannotCarryError(f"{place}: {fault}")


def check_messages(conversation: Conversation, dialect: Dialect) -> None:
    """Raise CannotCarryError for texts that would be lost, or read as something else."""
    _check_user_of_tools(conversation, dialect)
    for i, message in enumerate(conversation.messages):
        path = f"$.messages[{i}]"
        if isinstance(message, AssistantMessage):
            _check_answer(message, path, dialect)
        elif not isinstance(message, ToolMessage) and (misreading := _misread_as(message, message.content, dialect)):
            raise CannotCarryError(f"{path}.content: {misreading}")
        has_speaker = dialect.speakers and message.name is not None and not isinstance(message, ToolMessage)
        if has_speaker and not re.fullmatch(r"\S+", message.name or ""):
            raise CannotCarryError(f"{path}.name: is empty or holds white space")


def _check_answer(message: AssistantMessage, path: str, dialect: Dialect) -> None:
    """Raise CannotCarryError for an answer that the dialect cannot write."""
    text = _trimmed(message, dialect.trims) or ""
    if dialect.text_beside_calls == "reject" and message.tool_calls and text:
        raise CannotCarryError(f"{path}.content: text beside calls, for which the format has no place")
    if dialect.text_beside_calls == "reject" and text.lstrip().startswith(dialect.call_syntax.begins):
        raise CannotCarryError(f"{path}.content: begins like a call")
    if dialect.empty_answers == "reject" and not message.tool_calls and not text:
        raise CannotCarryError(f"{path}.content: an empty answer")
    for j, call in enumerate(message.tool_calls):
        if dialect.id == OWN_ID and not NINE_LETTERS.fullmatch(call.id):
            raise CannotCarryError(f"{path}.tool_calls[{j}].id: an id that is not nine letters or digits")


def _misread_as(message: Message, text: str, dialect: Dialect) -> str | None:
    """Return as what else the words of the system or of the user would be read."""
    if isinstance(message, SystemMessage) and dialect.result_begins.match(dialect.system.before + text):
        return "begins like a result"
    introduction = dialect.tools.words
    if (isinstance(message, SystemMessage) and introduction in text) if introduction else dialect.tools.before in text:
        return "holds the words that introduce tools"
    begins_like_tool = dialect.tools.place in ("before system", "user") and text.lstrip().startswith(
        dialect.tools.tool.begins
    )
    return "begins like a tool" if begins_like_tool else None


def _check_user_of_tools(conversation: Conversation, dialect: Dialect) -> None:
    """Raise CannotCarryError where tools stand in or before a message of the user, and there is none."""
    messages = conversation.messages
    if not conversation.tools or not (dialect.tools.place == "user" or dialect.tools.is_before_user):
        return
    first = next((i for i, message in enumerate(messages) if not isinstance(message, SystemMessage)), len(messages))
    if dialect.tools.is_before_user:
        if not any(isinstance(message, UserMessage) for message in messages):
            raise CannotCarryError("$.messages: tools stand before a user message, and there is none")
    elif first < len(messages) and not isinstance(messages[first], UserMessage):
        raise CannotCarryError(f"$.messages[{first}]: tools stand in the first user message, and there is none here")


def check_calls(conversation: Conversation, carried: Conversation, dialect: Dialect) -> None:
    """Raise CannotCarryError for tools and calls that cannot be read back; arguments are told by the tools as they are carried."""
    for i, tool in enumerate(conversation.tools):
        if dialect.tools.tool.carried(tool) is None:
            raise CannotCarryError(f"$.tools[{i}]: a tool that cannot be read back from its text")
    schemas = {tool.name: tool.parameters for tool in carried.tools}
    for i, message in enumerate(conversation.messages):
        for j, call in enumerate(message.tool_calls if isinstance(message, AssistantMessage) else ()):
            fault = dialect.call_syntax.check(call, schemas.get(call.name))
            if fault is not None:
                raise CannotCarryError(f"$.messages[{i}].tool_calls[{j}].function{fault}")


# ------------------------------------------------------------------------------------------------------ writing


def write(conversation: Conversation, dialect: Dialect) -> Iterator[Segment]:
    """Yield the text of a conversation whose calls and results are in order."""
    messages = conversation.messages
    system = messages[0] if messages and isinstance(messages[0], SystemMessage) else None
    rest = messages if system is None else messages[1:]
    listed = _tools_text(conversation, dialect)
    yield dialect.begin + notes_text(dialect.after_begin, conversation), False
    if listed and dialect.tools.place == "own turn":
        yield listed, False
    opened = _system_turn(conversation, system, listed, dialect)
    yield opened, False
    calls_written, tools_at = 0, _user_message_of_tools(rest, dialect) if listed else None
    for i, message in enumerate(rest):
        before, after = rest[i - 1] if i else None, rest[i + 1] if i + 1 < len(rest) else None
        if (
            dialect.between
            and (i or opened)
            and not (isinstance(message, ToolMessage) and isinstance(before, ToolMessage))
        ):
            yield dialect.between, False
        if isinstance(message, AssistantMessage):
            yield _answer_header(message, before, dialect), False
            yield _answer_text(message, dialect, calls_written, last=after is None), message.train
            calls_written += len(message.tool_calls)
            if dialect.after_answer:
                yield dialect.after_answer, False
            continue
        text = _turn_text(message, dialect, listed if i == tools_at else "", before, after)
        if dialect.end_opens and isinstance(before, AssistantMessage):
            text = text.removeprefix(dialect.end_of(calls=bool(before.tool_calls)))
        yield text, False
    yield dialect.finish, False


def _user_message_of_tools(messages: tuple[Message, ...], dialect: Dialect) -> int | None:
    """Return the number of the user message that the tools stand in or before."""
    users = [i for i, message in enumerate(messages) if isinstance(message, UserMessage)]
    if not users or not (dialect.tools.place == "user" or dialect.tools.is_before_user):
        return None
    return users[-1] if dialect.tools.place == "before last user" else users[0]


def _turn_text(message: Message, dialect: Dialect, listed: str, before: Message | None, after: Message | None) -> str:
    """Return the text of one message to the assistant; `listed` is the list of tools, if it goes here."""
    if isinstance(message, ToolMessage):
        first, last = not isinstance(before, ToolMessage), not isinstance(after, ToolMessage)
        return _result_text(message, dialect, first=first, last=last)
    around = dialect.system if isinstance(message, SystemMessage) else dialect.user
    head = _marker_with_speaker(around.before, message)
    head = listed + head if dialect.tools.is_before_user else head + listed
    return f"{head}{dialect.words(message.content or '')}{around.after}"


def _marker_with_speaker(marker: str, message: Message | None) -> str:
    """Return the marker of a turn with the speaker's name in it: `<|im_start|>user name=Ada`."""
    return marker.replace(
        "$speaker", f" name={message.name}" if message is not None and message.name is not None else ""
    )


def _tools_text(conversation: Conversation, dialect: Dialect) -> str:
    """Return the list of tools with the words around it; an empty text where there are none."""
    if not conversation.tools:
        return ""
    tools = dialect.tools
    return f"{tools.before}{tools.between.join(map(tools.tool.write, conversation.tools))}{tools.after}"


def _system_turn(conversation: Conversation, system: SystemMessage | None, listed: str, dialect: Dialect) -> str:
    """Return the turn of the system message; an empty text when there is nothing to say in it."""
    text = None if system is None else dialect.before_system + system.content
    place = dialect.tools.place
    if text is None and dialect.says_default(tools=bool(listed)):
        text = dialect.default_system
    if listed and place == "after system":
        text = listed if text is None else text + dialect.tools.gap + listed
    elif listed and place == "before system":
        text = listed + (text or "")
    flags = _flags(conversation.messages, dialect)
    if text is None and not flags:
        return ""
    preamble = notes_text(dialect.preamble, conversation)
    behind = dialect.after_default if system is None else ""
    turn_text = dialect.words((text or "") + flags)
    return f"{_marker_with_speaker(dialect.system.before, system)}{preamble}{turn_text}{dialect.system.after}{behind}"


def _flags(messages: tuple[Message, ...], dialect: Dialect) -> str:
    """Return the flags of the blocks of thoughts that some message has."""
    if not dialect.flag:
        return ""
    used = {block for message in messages if isinstance(message, AssistantMessage) for block, _ in thoughts_of(message)}
    return "".join([dialect.flag.replace("$block", block) for block in Thoughts.__struct_fields__ if block in used])


def _answer_header(message: AssistantMessage, before: Message | None, dialect: Dialect) -> str:
    """Return what stands before an assistant turn."""
    if isinstance(before, ToolMessage) and dialect.answer_after_results is not None:
        return dialect.answer_after_results
    return _marker_with_speaker(dialect.answer, message)


def _answer_text(message: AssistantMessage, dialect: Dialect, calls_before: int, *, last: bool) -> str:
    """Return what is learnt of an assistant turn: thoughts, words, calls and the token that ends it.

    `calls_before` is the number of calls in the turns before.
    """
    thoughts = ""
    for block, thought in thoughts_of(message) if dialect.thoughts is not None else ():
        before, after = dialect.around_thought(block)
        thoughts += f"{before}{thought}{after}"
    words = ""
    if dialect.alone and not message.tool_calls:
        words = f"{dialect.alone}{message.content}"
    elif message.content:
        words = f"{dialect.before_text}{dialect.beside.before}{message.content}{dialect.beside.after}"
    if not message.tool_calls:
        end = dialect.end_last if last and dialect.end_last else dialect.end
        return f"{dialect.opening}{thoughts}{words}{dialect.behind_words}{end}"
    calls = dialect.call_syntax.write(message.tool_calls, calls_before)
    gap = dialect.call_syntax.gap if words else dialect.before_calls_alone
    return f"{dialect.opening}{thoughts}{words}{gap}{calls}{dialect.end_of(calls=True)}"


def _result_text(message: ToolMessage, dialect: Dialect, *, first: bool, last: bool) -> str:
    """Return a result with its markers, and those of the step before the first and behind the last."""
    opening = dialect.results.before if first else ""
    closing = dialect.results.after if last else ""
    head = dialect.result.before.replace("$name", message.name or "").replace("$id", message.tool_call_id)
    return f"{opening}{head}{dialect.words(dialect.result_content.write(message))}{dialect.result.after}{closing}"
