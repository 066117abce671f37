"""Records of texts: pieces with spans to be learnt, and a text that is read from left to right into a plain record.

A record of a text format is `{"text": "...", "spans": [[start, end], ...]}`. The text is what a model sees and says,
as its chat template writes it. A span is what it is to learn: from behind the header of an assistant turn up to and
with the token that ends the turn, in characters (Unicode code points), end not included. There is one span for each
assistant turn whose `train` is true, in order. A record without `spans` is read as one in which every turn is learnt.

Text formats have no ids, as a rule: results stand in the order of their calls, and reading numbers the calls
(`call00001`, ...). None escapes its control tokens, so a value that holds one is refused by place and token.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from generator.core.conversation import Tool, Violation
from generator.core.errors import CannotCarryError, FormatError
from generator.core.exact_json import no_constant, unique_keys
from generator.core.toolbox import once_per_tool
from generator.formats.format import Read, plain_record, tool_object
from generator.formats.steps import placeholder_id

Segment = tuple[str, bool]
"""A piece of text, and whether it is to be learnt."""


def text_record(segments: Iterable[Segment]) -> dict[str, Any]:
    """Return the record whose text is these pieces; each learnt piece is a span."""
    pieces: list[str] = []
    spans: list[list[int]] = []
    position = 0
    for piece, learnt in segments:
        pieces.append(piece)
        end = position + len(piece)
        if learnt:
            spans.append([position, end])
        position = end
    return {"text": "".join(pieces), "spans": spans}


def spaced_json(value: Any) -> str:
    """Return JSON as the filter `tojson` of chat templates writes it: `, ` and `: `, non-ASCII letters kept."""
    return json.dumps(value, ensure_ascii=False)


@once_per_tool
def tool_json(tool: Tool) -> str:
    """Return a declared tool in one line."""
    return spaced_json(tool_object(tool))


def any_of(tokens: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds these tokens, longer ones first."""
    return re.compile("|".join(re.escape(token) for token in sorted(tokens, key=len, reverse=True)))


# ------------------------------------------------------------------------------------------------------- what is read


class Scanner:
    """A text that is read from left to right."""

    __slots__ = ("at", "text", "tokens")

    def __init__(self, text: str, tokens: re.Pattern[str] = re.compile(r"(?!)")) -> None:
        self.text = text
        self.at = 0
        self.tokens = tokens

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.at >= len(self.text)

    def sees(self, literal: str) -> bool:
        """Whether this comes next."""
        return self.text.startswith(literal, self.at)

    def accept(self, literal: str) -> bool:
        """Whether this text came next; if so, go past it."""
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what of this comes next, and go past it."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def take(self, literal: str) -> None:
        """Go past what must come next; raises FormatError where the text differs."""
        if not self.accept(literal):
            actual, expected = self.tokens.match(self.text, self.at), self.tokens.match(literal)
            if actual and expected and actual[0] != expected[0]:
                raise self.fault(f"{literal!r} is expected here; {actual[0]} does not belong here")
            equal_letters = next(i for i in range(len(literal)) if not self.sees(literal[: i + 1]))
            raise self.fault(
                f"{literal[equal_letters : equal_letters + 40]!r} is expected here", self.at + equal_letters
            )

    def next_token(self) -> int:
        """Return where the next control token stands; the end of the text when there is none."""
        match = self.tokens.search(self.text, self.at)
        return match.start() if match else len(self.text)

    def plain(self) -> str:
        """Return the text up to the next control token, or the end."""
        start, self.at = self.at, self.next_token()
        return self.text[start : self.at]

    def until(self, ending: str) -> str:
        """Return the text before this ending, which holds no control token; go past the ending.

        An empty ending stands for the next control token, which is not consumed.
        """
        if not ending:
            return self.plain()
        start, end, token = self.at, self.text.find(ending, self.at), self.next_token()
        if end < 0 or token < end:
            match = self.tokens.match(self.text, token)
            raise self.fault(
                f"{ending!r} is expected here{f'; {match[0]} does not belong here' if match else ''}", token
            )
        self.at = end + len(ending)
        return self.text[start:end]

    def go_to(self, end: int) -> None:
        """Go past the text before `end`; raises FormatError for a control token in it."""
        if match := self.tokens.search(self.text, self.at, end):
            raise self.fault(f"{match[0]} does not belong here", match.start())
        self.at = end

    def json(self) -> Any:
        """Return the JSON value that begins here, which holds no control token."""
        try:
            value, end = _DECODER.raw_decode(self.text, self.at)
        except json.JSONDecodeError as fault:
            raise self.fault(f"not JSON: {fault.msg}", fault.pos) from None
        except (ValueError, RecursionError) as fault:
            raise self.fault(f"not JSON: {fault}") from None
        self.go_to(end)
        return value

    def json_arguments(self) -> dict[str, Any]:
        """Return the arguments of a call, a JSON object, which begin here."""
        start = self.at
        value = self.json()
        if not isinstance(value, dict):
            raise self.fault("arguments should be an object", start)
        return value

    def fault(self, reason: str, at: int | None = None) -> FormatError:
        """Return an error that says where the text is wrong, and why."""
        return fault_in_text(self.text, self.at if at is None else at, reason)


def read_again(tool: Tool, write: Callable[[Tool], str], read: Callable[[Scanner], Any]) -> Tool | None:
    """Return the tool as it is read again; None when that would not be written the same."""
    try:
        text = write(tool)
        scanner = Scanner(text)
        function = read(scanner)["function"]
        again = Tool(**function)
        has_valid_strict = again.strict is None or isinstance(again.strict, bool)
        return again if scanner.done and has_valid_strict and write(again) == text else None
    except (FormatError, CannotCarryError, TypeError, ValueError, IndexError, RecursionError):
        return None


def fault_in_text(text: str, position: int, reason: str) -> FormatError:
    """Return an error that says `character 12 (line 1): REASON`."""
    line = text.count("\n", 0, position) + 1
    return FormatError(f"character {position} (line {line}): {reason}")


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=no_constant)


class RecordReading:
    """The plain record of a text, or of records without ids, as far as it has been read."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.tools: list[Any] = []
        self.regions: list[tuple[int, int]] = []
        """Where each assistant turn can be learnt: [start, end)."""
        self.pending: list[dict[str, Any]] = []
        """Calls of the turn before whose results are still to come."""
        self._calls = 0

    def say(self, role: str, content: str, name: str | None = None) -> None:
        """A system or user message."""
        self.pending = []
        self.messages.append({"role": role, "content": content, **({} if name is None else {"name": name})})

    def answer(
        self,
        content: str | None,
        functions: Sequence[dict[str, Any]],
        region: tuple[int, int] = (0, 0),
        name: str | None = None,
        thoughts: dict[str, str] | None = None,
        ids: Sequence[str | None] = (),
    ) -> None:
        """An assistant message with the functions that it calls; calls whose ids do not stand in the text are numbered."""
        entry: dict[str, Any] = {"role": "assistant", **({} if name is None else {"name": name})}
        entry["content"] = (content or None) if functions else content
        self.pending = []
        for function, given_id in zip_longest(functions, ids):
            self._calls += 1
            call_id = placeholder_id(self._calls) if given_id is None else given_id
            self.pending.append({"id": call_id, "type": "function", "function": function})
        if functions:
            entry["tool_calls"] = list(self.pending)
        if thoughts:
            entry["thoughts"] = thoughts
        self.messages.append(entry)
        self.regions.append(region)

    def result(self, content: str, name: str | None = None, call_id: str | None = None) -> bool:
        """Add a tool message for the next call without one, or that of an id; return False when there is no such call."""
        call = next((call for call in self.pending if call_id in (None, call["id"])), None)
        if call is None:
            return False
        self.pending.remove(call)
        called = call["function"]["name"] if name is None else name
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "name": called, "content": content})
        return True

    def record(self) -> dict[str, Any]:
        """Return the plain record."""
        return plain_record(self.messages, self.tools)


def read_text_record(record: Any, code: str, read_text: Callable[[str], RecordReading]) -> Read:
    """Return the plain record of a text record; a fault of the text is the only fault."""
    if not isinstance(record, dict):
        return None, [Violation(code, "$", "is not an object")]
    if not isinstance(record.get("text"), str):
        return None, [Violation(code, "$.text", "is not a string")]
    try:
        transcript = read_text(record["text"])
    except FormatError as fault:
        return None, [Violation(code, "$.text", str(fault))]
    if "spans" in record:
        fault_of_spans = _mark_learnt(transcript, record["spans"])
        if fault_of_spans is not None:
            return None, [Violation(code, *fault_of_spans)]
    return transcript.record(), []


def _mark_learnt(transcript: RecordReading, spans: Any) -> tuple[str, str] | None:
    """Mark each assistant turn without a span as not learnt; return (path, reason) of the first wrong span."""
    if not isinstance(spans, list):
        return "$.spans", "is not a list of [start, end] pairs"
    learnt = set()
    for i, span in enumerate(spans):
        whole = isinstance(span, list) and [type(end) for end in span] == [int, int]
        if not whole or tuple(span) not in transcript.regions:
            return f"$.spans[{i}]", "is not where an assistant turn of the text stands: [start, end] of what is learnt"
        learnt.add(tuple(span))
    turns = [message for message in transcript.messages if message["role"] == "assistant"]
    for message, region in zip(turns, transcript.regions, strict=True):
        if region not in learnt:
            message["train"] = False
    return None
