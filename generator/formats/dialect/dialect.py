"""The differences between text formats of model families, as plain data.

A text is `begin`, the system turn, then one turn for each message; the results of one step of calls stand together:

    BEGIN
    SYSTEM (system message, tools) /SYSTEM
    USER (request) /USER
    ANSWER (text, calls) END
    RESULTS  RESULT (result) /RESULT  RESULT (result) /RESULT  /RESULTS
    ANSWER_AFTER_RESULTS (text) END

What a model learns is an assistant turn from behind `answer` up to and with `end`.
"""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import msgspec

from generator.core.conversation import Conversation, Tool, ToolCall
from generator.formats.format import Consumer
from generator.formats.text import tool_json
from generator.formats.text_reader import Scanner

ReadCall = tuple[str, dict[str, Any], str]
"""Name, arguments, and number where that stands in the text."""
_SLOTS = {r"\$name": r"[\w.-]+", r"\$id": r"(?P<id>[^\n]*)"}
"""What stands for the called tool's name and the call's id in the text before a result -> what is read there."""


UNQUOTED = r"[\w.-]+"
"""Regular expression of the names of tools that can be written without quotes."""


class Around(msgspec.Struct, frozen=True):
    """The text before and after something."""

    before: str
    after: str = ""


class CallSyntax(msgspec.Struct, frozen=True, kw_only=True):
    """How the calls of one assistant message are written."""

    begins: str
    """How the first call begins: where this stands, calls are read."""
    gap: str = ""
    """Between the text and the calls."""
    write: Callable[[tuple[ToolCall, ...], int], str]
    """Write all calls, given how many were made before."""
    read: Callable[[Scanner, dict[str, Any]], list[ReadCall]]
    """Read all calls, given the schemas of the declared tools' parameters by tool name; raises FormatError."""
    check: Callable[[ToolCall, Any], str | None] = lambda call, schema: None
    """Why a call cannot be written, as `.name: REASON` or `.arguments: REASON`."""
    tool_names: str | None = UNQUOTED
    """Regular expression of the tool names that can be written without quotes; None when `check` looks at them."""


def _read_json_line(scanner: Scanner) -> Any:
    scanner.take("\n")
    return scanner.json()


class ToolList(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how the offered tools are shown."""

    place: Literal["after system", "before system", "own turn", "user"]
    """Behind or before the system message in its turn, in a turn of their own, or before the first user message."""
    before: str
    """The words that introduce them."""
    after: str = ""
    gap: str = ""
    """Between the system message and the words, where the tools are behind it."""
    between: str = ""
    begins: str = "\n{"
    """How every tool begins."""
    write: Callable[[Tool], str] = lambda tool: f"\n{tool_json(tool)}"
    read: Callable[[Scanner], Any] = _read_json_line
    """Read the tool object that begins here."""
    carried: Callable[[Tool], Tool | None] | None = None
    """The tool as it is read again, where that is not all of it; None for a tool that cannot be read again."""


class Preamble(msgspec.Struct, frozen=True):
    """What stands before everything else in the system turn."""

    write: Callable[[Conversation], str]
    pattern: re.Pattern[str]
    expected: str
    """What the pattern looks for, in words."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """How the models of one family write a conversation."""

    name: str
    about: str
    page: str
    """The format's section in docs/formats.md."""
    fault: tuple[str, str]
    """(code, statement) of the rule that a text of another shape breaks."""
    tokens: tuple[str, ...]
    """Control tokens, which no value may hold."""
    consumers: tuple[Consumer, ...] = ()

    begin: str = ""
    system: Around
    later_system: bool = True
    """Whether system messages may stand behind the first message, too, in a turn of the same shape."""
    preamble: Preamble | None = None
    default_system: str | None = None
    """What the template says when the conversation has no system message; such a message is read as none."""
    default_beside_tools: bool = True
    """Whether it says so when there are tools."""
    default_without_tools: bool = True
    """Whether it says so when there are none."""
    after_default: str = ""
    """What follows the turn in which it says so."""
    empty_system: bool = True
    """Whether an empty system message is written; else it is none."""
    tools: ToolList

    user: Around
    answer: str
    """What stands before an assistant turn."""
    answer_after_results: str | None = None
    """The same behind results, where that differs."""
    opening: str = ""
    """What every assistant turn begins with."""
    before_text: str = ""
    """Between `opening` and the text, if there is any."""
    before_calls_alone: str = ""
    """Between `opening` and the calls, where there is no text."""
    calls: CallSyntax
    end: str
    """The token that ends an assistant turn."""
    end_after_calls: str | None = None
    """The same behind calls, where that differs."""
    end_opens: bool = False
    """Whether that token is also the first of the turn that follows."""
    after_answer: str = ""
    """What follows the token and is not learnt."""
    results: Around
    """Around the results of one step."""
    results_too: tuple[str, ...] = ()
    """What is read in place of `results.before`, too."""
    result: Around
    """Around each result; `$name` and `$id` before it are those of the call that it answers."""
    id: str = ""
    """The id of a call, with `$name` and `$number` (from 0, in the conversation), where it stands in the text."""
    encode_result: Callable[[str], str] = lambda content: content
    decode_result: Callable[[str], str] = lambda text: text

    trims: Literal["nothing", "text beside calls", "answers", "everything said"] = "nothing"
    """Whose outer white space the template takes off."""
    parallel: Literal["ok", "split"] = "ok"
    text_beside_calls: Literal["ok", "reject"] = "ok"
    no_content: Literal["empty", "absent"] = "empty"

    @cached_property
    def result_begins(self) -> re.Pattern[str]:
        """What stands before each result."""
        pattern = re.escape(self.result.before)
        for slot, found in _SLOTS.items():
            pattern = pattern.replace(slot, found)
        return re.compile(pattern)

    @cached_property
    def results_begin(self) -> re.Pattern[str]:
        """What stands before the results of one step."""
        openings = "|".join(map(re.escape, (self.results.before, *self.results_too)))
        return re.compile(f"(?:{openings})(?={self.result_begins.pattern})")

    @property
    def id_pattern(self) -> str | None:
        """Regular expression that every id matches, where ids stand in the text."""
        return re.escape(self.id).replace(r"\$name", r"[\w.-]+").replace(r"\$number", "[0-9]+") if self.id else None

    def id_of(self, name: str, number: int | str) -> str:
        """Return the id of a call, given its number in the conversation."""
        return self.id.replace("$name", name).replace("$number", str(number))

    def end_of(self, *, calls: bool) -> str:
        """Return the token that ends an assistant turn with calls, or without."""
        return self.end_after_calls if calls and self.end_after_calls is not None else self.end

    def says_default(self, *, tools: bool) -> bool:
        """Whether the template adds a default system message when the conversation has none."""
        return self.default_system is not None and (self.default_beside_tools if tools else self.default_without_tools)
