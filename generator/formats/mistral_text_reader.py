"""The versions of Mistral's text, its tokens, and a strict reader that says where it stopped and why."""

import re
from typing import Any

import msgspec

from generator.formats.format import compact_json
from generator.formats.text import any_of
from generator.formats.text_reader import RecordReading, Scanner
from generator.formats.wire.format import wire_format

_WIRE = wire_format("mistral_text-v11")
CALL, CALL_ID, ARGUMENTS = _WIRE.special
(END,) = _WIRE.end
TOKENS = (
    "<s>", END, "<unk>", "<pad>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", CALL, "[TOOL_CONTENT]", ARGUMENTS, CALL_ID, "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
    "[IMG]", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[AUDIO]", "[BEGIN_AUDIO]", "[TRANSCRIBE]",
    "[THINK]", "[/THINK]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]",
)  # fmt: skip
TOKEN = any_of(TOKENS)
_NAME = re.compile(r"[\w.-]+")


class Version(msgspec.Struct, frozen=True):
    """What one version of the text differs in."""

    number: int
    space: str
    """What stands behind a control token that text follows."""

    @property
    def with_ids(self) -> bool:
        """Whether ids stand in the text."""
        return self.number < 13


VERSIONS = {
    "v3": Version(3, " "),
    "v3-tekken": Version(3, ""),
    "v7": Version(7, " "),
    "v7-tekken": Version(7, ""),
    "v11": Version(11, ""),
    "v13": Version(13, ""),
}
USUAL = "v13"


def read_text(text: str, version: Version) -> RecordReading:
    """Return the contents of a conversation in one of the versions; raises FormatError."""
    scanner, transcript = Scanner(text, TOKEN), RecordReading()
    scanner.take("<s>")
    if version.number > 3 and scanner.accept("[SYSTEM_PROMPT]"):
        transcript.say("system", _text(scanner, version))
        scanner.take("[/SYSTEM_PROMPT]")
    shown: int | None = None  # number of the user turn that the tools stand before
    users = 0
    while not scanner.done:
        if shown is None and scanner.accept("[AVAILABLE_TOOLS]"):
            shown = users
            transcript.tools = _read_tools(scanner, version)
            if not scanner.sees("[INST]"):
                raise scanner.fault("a user turn ([INST]) is expected behind the tools")
        if scanner.accept("[INST]"):
            users += 1
            transcript.say("user", _text(scanner, version))
            scanner.take("[/INST]")
        elif scanner.accept("[TOOL_RESULTS]"):
            _read_result(scanner, transcript, version)
        else:
            _read_answer(scanner, transcript, version)
    if shown is not None and shown != (0 if version.number >= 13 else users - 1):
        which = "first" if version.number >= 13 else "last"
        raise scanner.fault(f"the tools should stand before the {which} user turn", text.index("[AVAILABLE_TOOLS]"))
    return transcript


def _text(scanner: Scanner, version: Version) -> str:
    if version.space and not scanner.tokens.match(scanner.text, scanner.at):
        scanner.take(version.space)
    return scanner.plain()


def _read_tools(scanner: Scanner, version: Version) -> list[Any]:
    scanner.take(version.space)
    start = scanner.at
    tools = scanner.json()
    if not isinstance(tools, list):
        raise scanner.fault("a list of tools is expected here", start)
    scanner.take("[/AVAILABLE_TOOLS]")
    return tools


def _read_answer(scanner: Scanner, transcript: RecordReading, version: Version) -> None:
    start = scanner.at
    said = _text(scanner, version)
    calls: list[tuple[str, Any, str | None]] = []
    if version.number < 11:
        calls = _read_listed_calls(scanner, version) if scanner.accept(CALL) else []
    else:
        while scanner.accept(CALL):
            calls.append(_read_call(scanner, version))
    scanner.take(END)
    called = [(name, arguments) for name, arguments, _ in calls]
    transcript.answer(said, called, (start, scanner.at), ids=[call_id for _, _, call_id in calls])


def _read_listed_calls(scanner: Scanner, version: Version) -> list[tuple[str, Any, str | None]]:
    scanner.take(version.space)
    start = scanner.at
    listed = scanner.json()
    keys = {"name", "arguments", "id"}
    if not isinstance(listed, list) or not listed or not all(isinstance(c, dict) and c.keys() == keys for c in listed):
        raise scanner.fault("a list of objects with `name`, `arguments` and `id` is expected here", start)
    return [(call["name"], call["arguments"], call["id"]) for call in listed]


def _read_call(scanner: Scanner, version: Version) -> tuple[str, Any, str | None]:
    start = scanner.at
    name = scanner.plain()
    if not _NAME.fullmatch(name):
        raise scanner.fault("the name of a tool is expected here", start)
    call_id = None
    if version.with_ids:
        scanner.take(CALL_ID)
        call_id = scanner.plain()
    scanner.take(ARGUMENTS)
    return name, scanner.json(), call_id


def _read_result(scanner: Scanner, transcript: RecordReading, version: Version) -> None:
    start = scanner.at
    call_id: Any = None
    if version.number == 3:
        scanner.take(version.space)
        value = scanner.json()
        if not isinstance(value, dict) or value.keys() != {"content", "call_id"}:
            raise scanner.fault("an object with `content` and `call_id` is expected here", start)
        call_id, content = value["call_id"], value["content"]
        content = content if isinstance(content, str) else compact_json(content)
    else:
        if version.with_ids:
            call_id = _text(scanner, version)
            scanner.take("[TOOL_CONTENT]")
        content = _text(scanner, version)
    scanner.take("[/TOOL_RESULTS]")
    if not transcript.result(content, call_id=call_id):
        raise scanner.fault("there is no call left that this could be the result of", start)
