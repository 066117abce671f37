"""Text formats of model families, each described as data (dialects.yaml), with one writer (writing.py) and one reader (reading.py) for all.

A text is `begin`, the system turn, then one turn for each message; the results of one step of calls stand together:

    BEGIN
    SYSTEM (system message, tools) /SYSTEM
    USER (request) /USER
    ANSWER (thoughts, text, calls) END
    RESULTS  RESULT (result) /RESULT  RESULT (result) /RESULT  /RESULTS
    ANSWER_AFTER_RESULTS (text) END
    FINISH

What a model learns is an assistant turn from behind `answer` up to and with `end`.
"""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Literal

import msgspec

from generator.formats.format import Consumer
from generator.formats.text import RecordReading, Scanner, any_of
from generator.formats.texts.calls import CallSyntax, CallText, call_syntax_for
from generator.formats.texts.notes import Note
from generator.formats.texts.results import RESULT_TEXTS, ResultText
from generator.formats.texts.tools import TOOL_TEXTS, ToolText

_SLOTS = {r"\$name": r"(?P<name>[\w.-]+)", r"\$id": r"(?P<id>[^\n]*?)", r"\$speaker": r"(?: name=(?P<speaker>\S+))?"}
"""What stands for the called tool's name, the call's id and the speaker's name in the text of a marker -> what is read there."""
OWN_ID = "$id"
NINE_LETTERS = re.compile("[a-zA-Z0-9]{9}")
Trims = Literal["nothing", "text beside calls", "answers", "spaces behind answers", "everything said"]
"""What a template takes white space off the ends of; results keep it."""


class Around(msgspec.Struct, frozen=True, array_like=True):
    """The text before and after something; a slot in it (`$speaker`) stands for what differs."""

    before: str
    after: str = ""


class ToolList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where and how the offered tools are shown."""

    place: Literal["after system", "before system", "own turn", "user", "before first user", "before last user"]
    """Behind or before the system message in its turn, in a turn of their own, in the first user message before its words,
    or before the first or the last user turn."""
    text: str = "lines"
    """How a tool is written: an entry of TOOL_TEXTS."""
    before: str
    """The words that introduce them."""
    words: str | None = None
    """What no system message may hold; without, no message of the system or of the user may hold `before`."""
    after: str = ""
    gap: str = ""
    """Between the system message and the words, where the tools are behind it."""
    between: str = ""

    @property
    def tool(self) -> ToolText:
        """How one tool is written and read."""
        return TOOL_TEXTS[self.text]

    @property
    def is_before_user(self) -> bool:
        """Whether they stand between turns, before one of the user's."""
        return self.place in ("before first user", "before last user")


class Dialect(msgspec.Struct, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
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
    options: dict[str, str] = {}
    inline_refs: bool = False
    """Whether there is a choice that writes tools without references."""

    begin: str = ""
    after_begin: tuple[Note, ...] = ()
    """What follows `begin` and of which reading keeps nothing."""
    finish: str = ""
    """What ends the text."""
    between: str = ""
    """What stands between two turns."""
    system: Around
    before_system: str = ""
    """What stands before the system message, if there is any, in its turn."""
    later_system: Literal["written", "read", "no"] = "written"
    """Whether system messages may stand behind the first message, too, in a turn of the same shape."""
    system_in_user: bool = False
    """Whether the system message becomes the beginning of the last user message, and stays there when read."""
    preamble: tuple[Note, ...] = ()
    """What stands before everything else in the system turn, and of which reading keeps nothing."""
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
    thoughts: Around | None = None
    """Around each block of thoughts, whose name is `$block`; they stand before the text."""
    flag: str = ""
    """What stands at the end of the first system turn for each block that occurs."""
    before_text: str = ""
    """Between `opening` and the text, if there is any."""
    alone: str = ""
    """What stands before the text of an answer without calls, where that is told from text beside calls."""
    beside: Around = Around("")
    """The same around text beside calls."""
    before_calls_alone: str = ""
    """Between `opening` and the calls, where there is no text."""
    calls: CallText
    end: str
    """The token that ends an assistant turn."""
    end_after_calls: str | None = None
    """The same behind calls, where that differs."""
    end_last: str | None = None
    """The same behind an answer without calls that ends the conversation; read behind any."""
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
    result_text: str = "plain"
    """How its content is written: an entry of RESULT_TEXTS."""
    id: str = ""
    """The id of a call, with `$name` and `$number` (from 0, in the conversation), where it stands in the text; `$id`: the
    conversation's own, of nine letters or digits."""

    before_words: str = ""
    """Between a marker and what is said behind it, unless that is empty."""
    behind_words: str = ""
    """Between what is said and the marker behind it; need not stand there when it is read."""
    line_breaks: Literal["as written", "any"] = "as written"
    """Whether white space beside the markers of calls and results may be any when it is read."""
    trims: Trims = "nothing"
    """Whose outer white space the template takes off."""
    speakers: bool = False
    """Whether names of speakers are written."""
    parallel: Literal["ok", "split"] = "ok"
    text_beside_calls: Literal["ok", "reject"] = "ok"
    empty_answers: Literal["ok", "reject"] = "ok"
    no_content: Literal["empty", "absent"] = "empty"
    turn: str = ""
    """What every turn begins with, where `turns` are words."""
    turns: str = ""
    """The turns that may stand, in words; without, what `user` and `answer` begin with."""
    read_system: Callable[[Scanner, RecordReading, str | None], None] | None = None
    """Reads the rest of a system turn behind its header, where a list of tools may stand among any words."""

    @cached_property
    def call_syntax(self) -> CallSyntax:
        """How calls are written and read."""
        return call_syntax_for(self.calls, any_breaks=self.line_breaks == "any")

    @property
    def result_content(self) -> ResultText:
        """How the content of a result is written and read."""
        return RESULT_TEXTS[self.result_text]

    @cached_property
    def headers(self) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
        """What begins a turn of the system, of the user and of the assistant."""
        system, user, answer = map(_pattern, (self.system.before, self.user.before, self.answer))
        return re.compile(system), re.compile(user), re.compile(answer)

    @cached_property
    def result_begins(self) -> re.Pattern[str]:
        """What stands before each result; before its id, where that is the conversation's own."""
        if self.line_breaks == "any":
            return re.compile(rf"{_pattern(self.result.before.strip())}\s*")
        return re.compile(_pattern(self.around_own_id.before))

    @cached_property
    def around_own_id(self) -> Around:
        """What stands before and behind the conversation's own id before each result; nothing behind where no such id stands."""
        if self.id != OWN_ID:
            return Around(self.result.before)
        before, _, behind = self.result.before.partition(OWN_ID)
        return Around(before, behind)

    @cached_property
    def results_begin(self) -> re.Pattern[str]:
        """What stands before the results of one step; a result follows where others begin so, too."""
        openings = "|".join(map(re.escape, (self.results.before, *self.results_too)))
        alone = self.results.before and not self.user.before.startswith(self.results.before)
        return re.compile(f"(?:{openings})" + ("" if alone else f"(?={self.result_begins.pattern})"))

    @cached_property
    def ending(self) -> re.Pattern[str]:
        """What ends the text behind the last turn, if need be with line breaks around it."""
        return re.compile(rf"\n?{re.escape(self.finish)}\n?\Z")

    @cached_property
    def tools_marker(self) -> str:
        """The control token that the list of tools begins with; empty when it begins with words."""
        match = any_of(self.tokens).match(self.tools.before)
        return match[0] if match else ""

    @property
    def id_pattern(self) -> str | None:
        """Regular expression that every id matches, where ids stand in the text."""
        if self.id == OWN_ID:
            return NINE_LETTERS.pattern
        return re.escape(self.id).replace(r"\$name", r"[\w.-]+").replace(r"\$number", "[0-9]+") if self.id else None

    def id_of(self, name: str, number: int | str) -> str:
        """Return the id of a call, given its number in the conversation."""
        return self.id.replace("$name", name).replace("$number", str(number)).replace(OWN_ID, str(number))

    def end_of(self, *, calls: bool) -> str:
        """Return the token that ends an assistant turn with calls, or without."""
        return self.end_after_calls if calls and self.end_after_calls is not None else self.end

    def says_default(self, *, tools: bool) -> bool:
        """Whether the template adds a default system message when the conversation has none."""
        return self.default_system is not None and (self.default_beside_tools if tools else self.default_without_tools)

    def around_thought(self, block: str) -> tuple[str, str]:
        """Return what stands before and behind a block of thoughts: `<|start_reason|>`, `<|end_reason|>`."""
        around = self.thoughts or Around("")
        return around.before.replace("$block", block), around.after.replace("$block", block)

    def words(self, said: str) -> str:
        """Return what is said with what stands between it and the markers around it."""
        return f"{self.before_words if said else ''}{said}{self.behind_words}"


def _pattern(marker: str) -> str:
    """Return a regular expression of a marker with slots: `<|user$speaker|>` also finds `<|user name=Ada|>`."""
    pattern = re.escape(marker)
    for slot, slot_pattern in _SLOTS.items():
        pattern = pattern.replace(slot, slot_pattern)
    return pattern
