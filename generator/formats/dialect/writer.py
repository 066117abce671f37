"""Writes a conversation in a dialect."""

from collections.abc import Iterator

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage
from generator.formats.dialect.dialect import Dialect
from generator.formats.text import Segment


def write(conversation: Conversation, dialect: Dialect) -> Iterator[Segment]:
    """Yield the text of a conversation whose calls and results are in order."""
    messages = conversation.messages
    system = messages[0].content if messages and isinstance(messages[0], SystemMessage) else None
    rest = messages if system is None else messages[1:]
    listed = _tools_text(conversation, dialect)
    yield dialect.begin, False
    if listed and dialect.tools.place == "own turn":
        yield listed, False
    said = _system_text(system, listed, dialect)
    if said is not None:
        preamble = dialect.preamble.write(conversation) if dialect.preamble else ""
        yield f"{dialect.system.before}{preamble}{said}{dialect.system.after}", False
    for i, message in enumerate(rest):
        before, after = rest[i - 1] if i else None, rest[i + 1] if i + 1 < len(rest) else None
        if isinstance(message, AssistantMessage):
            yield _header(before, dialect), False
            yield _answer_text(message, dialect), message.train
            if dialect.after_answer:
                yield dialect.after_answer, False
            continue
        text = _turn_text(message, dialect, listed if i == 0 else "", before, after)
        if dialect.end_opens and isinstance(before, AssistantMessage):
            text = text.removeprefix(dialect.end_of(calls=bool(before.tool_calls)))
        yield text, False


def _turn_text(message: Message, dialect: Dialect, listed: str, before: Message | None, after: Message | None) -> str:
    """Return the text of one message to the assistant; `listed` is the list of tools, if it goes here."""
    if isinstance(message, ToolMessage):
        first, last = not isinstance(before, ToolMessage), not isinstance(after, ToolMessage)
        return _result_text(message, dialect, first=first, last=last)
    if isinstance(message, SystemMessage):
        return f"{dialect.system.before}{message.content}{dialect.system.after}"
    tools = listed if dialect.tools.place == "user" else ""
    return f"{dialect.user.before}{tools}{message.content}{dialect.user.after}"


def _tools_text(conversation: Conversation, dialect: Dialect) -> str:
    if not conversation.tools:
        return ""
    tools = dialect.tools
    return f"{tools.before}{''.join([tools.write(tool) for tool in conversation.tools])}{tools.after}"


def _system_text(system: str | None, listed: str, dialect: Dialect) -> str | None:
    """Return the content of the system turn; None when there is none."""
    place = dialect.tools.place
    if system is None and dialect.says_default(tools=bool(listed)):
        system = dialect.default_system
    if listed and place == "after system":
        return listed if system is None else system + dialect.tools.gap + listed
    return listed + (system or "") if listed and place == "before system" else system


def _header(before: Message | None, dialect: Dialect) -> str:
    after_results = isinstance(before, ToolMessage) and dialect.answer_after_results is not None
    return (dialect.answer_after_results or "") if after_results else dialect.answer


def _answer_text(message: AssistantMessage, dialect: Dialect) -> str:
    said = f"{dialect.before_text}{message.content}" if message.content else ""
    calls = ""
    if message.tool_calls:
        calls = (dialect.calls.gap if said else dialect.before_calls_alone) + dialect.calls.write(message.tool_calls)
    return f"{dialect.opening}{said}{calls}{dialect.end_of(calls=bool(calls))}"


def _result_text(message: ToolMessage, dialect: Dialect, *, first: bool, last: bool) -> str:
    opening = dialect.results.before if first else ""
    closing = dialect.results.after if last else ""
    return f"{opening}{dialect.result.before}{dialect.encode_result(message.content)}{dialect.result.after}{closing}"
