"""A finished row as metrics see it: turns, calls with their results, and where each argument value comes from.

Where a file has no proofs beside it, values are looked for in texts. That is a search, not a proof: it knows numbers in words and with
thousands separators, dates and clock times as people say them, and texts whose words all occur. Schemas are anybody's: whatever is not
understood is not reported, and nothing here raises.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from generator.core.claims import Claim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.pointers import leaves, split
from generator.core.profiles import says_failure
from generator.core.yaml_values import own_data
from generator.formats.openai_messages import parse_or_text
from generator.formats.run_folder.proof_line import ProofLine


def default_at(tool: Tool, pointer: str) -> Any:
    """Return the default of an argument (`/stops/0/city`), or the only value that it may have; None where there is none."""
    root = tool.parameters if isinstance(tool.parameters, dict) else {}
    schema = _followed(root, root)
    for step in split(pointer):
        properties = schema.get("properties")
        inner = properties.get(step) if isinstance(properties, dict) else None
        schema = _followed(root, schema.get("items") if inner is None and step.isdecimal() else inner)
    enum = schema.get("enum")
    only = enum[0] if isinstance(enum, list) and len(enum) == 1 else None
    return schema.get("default", schema.get("const", only))


def _followed(root: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return the schema with local references followed, and with the first of its alternatives that says more than null."""
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        choices = next((schema[key] for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)), ())
        if isinstance(reference, str) and reference.startswith("#/"):
            target: Any = root
            for step in reference[2:].split("/"):
                target = target.get(step) if isinstance(target, dict) else None
            other_keys = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target, **other_keys} if isinstance(target, dict) else other_keys
        elif choices and "type" not in schema and "properties" not in schema:
            chosen = next((c for c in choices if isinstance(c, dict) and c.get("type") != "null"), {})
            schema = {**chosen, **{key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}}
        else:
            return schema
    return {}


def written(value: Any) -> str:
    """Return a value as compact JSON, to count and compare by."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, TypeError, OverflowError, RecursionError):
        return repr(value)[:200]


_WORD = re.compile(r"\w+")
_WORD_OF_SPEECH = re.compile(r"\w+(?:['’]\w+)*")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d).*)?")
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::\d\d)?")


class WordLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of `words.yaml`."""

    look_up_verbs: frozenset[str]
    numbers: dict[int, str]
    months: tuple[str, ...]
    relative_days: frozenset[str]
    function_words: dict[str, frozenset[str]]
    """Language → words of it that hardly any text does without."""


@cache
def known_words() -> WordLists:
    """Return the word lists, read once."""
    return msgspec.convert(own_data(__file__, "words.yaml"), WordLists, strict=False)


def is_look_up(name: str) -> bool:
    """Whether the name of a tool says that it looks something up and changes nothing."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name.replace("-", "_"))
    verbs = words[: 2 if len(words) > 2 else 1]  # the name of a server may precede the verb
    return not known_words().look_up_verbs.isdisjoint(word.lower() for word in verbs)


def words_of_text(text: str) -> list[str]:
    """Return the words of a text, in lower case: `I'd` is one."""
    return _WORD_OF_SPEECH.findall(text.lower())


class SearchedText:
    """A text that several values are looked for in."""

    def __init__(self, text: str) -> None:
        self.lower = text.lower()
        self.words = frozenset(_WORD.findall(self.lower))

    def find(self, value: Any) -> tuple[int, int] | None:
        """Return where the value stands as it is, as a character span [start, end); None when it does not.

        True, false, null and empty values have no form of their own and are never found.
        """
        for form in _forms(value):
            start = self._find_whole_word(form)
            if start >= 0:
                return start, start + len(form)
        return None

    def rewords(self, value: Any) -> bool:
        """Whether the value is said in other words."""
        if isinstance(value, bool) or value is None:
            return False
        if isinstance(value, int | float):
            return abs(value) < 1e6 and value == int(value) and known_words().numbers.get(int(value)) in self.words
        if not isinstance(value, str):
            return False
        dated, clock = _DATE.fullmatch(value), _CLOCK.fullmatch(value)
        if dated:
            return self._says_day(int(dated[2]), int(dated[3]))
        if clock:
            return self._says_time(int(clock[1]), int(clock[2]))
        parts = _WORD.findall(value.lower().replace("_", " "))
        return bool(parts) and all(part in self.words or f"{part}s" in self.words for part in parts)

    def _find_whole_word(self, form: str) -> int:
        """Return where the form occurs as a whole word; -1 when it does not."""
        text, start = self.lower, -1
        while (start := text.find(form, start + 1)) >= 0:
            end = start + len(form)
            before = start > 0 and text[start - 1].isalnum() and form[0].isalnum()
            after = end < len(text) and text[end].isalnum() and form[-1].isalnum()
            if not before and not after:
                return start
        return -1

    def _says_day(self, month: int, day: int) -> bool:
        """Whether the text names this day (`March 3rd`), or one that is told from today (`tomorrow`)."""
        vocabulary = known_words()
        name = vocabulary.months[month - 1] if 1 <= month <= 12 else ""
        numbered = not self.words.isdisjoint((str(day), f"{day}st", f"{day}nd", f"{day}rd", f"{day}th"))
        return (numbered and (name in self.words or name[:3] in self.words)) or not self.words.isdisjoint(
            vocabulary.relative_days
        )

    def _says_time(self, hour: int, minute: int) -> bool:
        """Whether the text names this clock time (`half past two`, `2pm`)."""
        vocabulary, twelve = known_words(), hour % 12 or 12
        hours = {str(hour), str(twelve), f"{twelve}am", f"{twelve}pm", vocabulary.numbers.get(twelve, "")}
        if hour in (0, 12):
            hours |= {"noon", "midday", "midnight"}
        minutes = {f"{minute:02}", f"{minute:02}am", f"{minute:02}pm", "half", "quarter"}
        return not self.words.isdisjoint(hours) and (minute == 0 or not self.words.isdisjoint(minutes))


def _forms(value: Any) -> tuple[str, ...]:
    """Return the literal forms of a value, which differ in case and thousands separators only: 1200 → ("1200", "1,200")."""
    if isinstance(value, str):
        return (value.strip().lower(),) if value.strip() else ()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, float) and not (value.is_integer() and abs(value) < 1e15):
        return (repr(value), f"{value:.2f}", f"{value:,}")
    # nobody says a longer number, and Python limits how long ones are written
    return (str(int(value)), f"{int(value):,}") if abs(value) < 10**18 else ()


Origin = Literal[
    "as_is", "reworded", "result", "earlier_turn", "context", "default", "expression", "not_found", "not_sought"
]
"""Where a value comes from. `not_sought`: true, false, null or empty, which no search can find."""


class Value(msgspec.Struct, frozen=True):
    """One leaf of a call's arguments."""

    pointer: str
    value: Any
    origin: Origin
    message: int | None = None
    """The message that holds it, where that is known."""
    span: tuple[int, int] | None = None
    """Where in that message, when the user says it."""
    way: str = ""
    """The verbalizer, where a proof names it."""
    in_result: str = ""
    """Of a value that was found in a JSON result: its pointer there."""


class ParsedCall(msgspec.Struct, frozen=True):
    """One call."""

    call: ToolCall
    message: int
    tool: Tool | None
    name: str
    """The tool's name; where a run has scrambled it, the usual one, as far as the row's proof tells."""
    values: tuple[Value, ...]
    result: Any
    """What it returned, as JSON where it is JSON; None when it was not answered."""
    failed: bool
    """Whether its result is marked as an error, or says so: `{"error": "timeout"}`, `Error: …`."""


class ParsedTurn(msgspec.Struct, frozen=True):
    """From one request of the user to the next."""

    text: str
    """What the user says."""
    calls: tuple[ParsedCall, ...]
    answer: str
    """All that the assistant says in messages without calls."""


class ParsedRow(msgspec.Struct, frozen=True):
    """One row of a file."""

    number: int
    """Its place in what is read, from 0."""
    conversation: Conversation
    proof: ProofLine | None
    turns: tuple[ParsedTurn, ...]
    violations: tuple[Violation, ...] = ()

    @property
    def calls(self) -> Iterator[ParsedCall]:
        """All calls, in order."""
        for turn in self.turns:
            yield from turn.calls

    @property
    def offered(self) -> Iterator[str]:
        """The usual names of the tools that are offered."""
        usual = _usual_names(self.proof)
        for tool in self.conversation.tools:
            yield usual.get(tool.name, tool.name)


def is_played(proof: ProofLine) -> bool:
    """Whether a row is what a model has played, in its own words: then nothing tells where values come from."""
    return proof.solved is not None and proof.solved.by is not None


def parse_row(
    number: int,
    conversation: Conversation,
    proof: ProofLine | None,
    violations: Sequence[Violation] = (),
) -> ParsedRow:
    """Return a conversation arranged for metrics: its turns, calls with results, and where each argument value comes from."""
    return ParsedRow(number, conversation, proof, tuple(_turns(conversation, proof)), tuple(violations))


def _turns(conversation: Conversation, proof: ProofLine | None) -> Iterator[ParsedTurn]:
    """Yield the turns of a conversation."""
    by_name = {tool.name: tool for tool in conversation.tools}
    answered: dict[str, ToolMessage] = {
        message.tool_call_id: message for message in conversation.messages if isinstance(message, ToolMessage)
    }
    find = Origins(conversation, proof)
    usual = _usual_names(proof)
    started = False
    requests, answers, calls = list[str](), list[str](), list[ParsedCall]()
    for index, message in enumerate(conversation.messages):
        if isinstance(message, UserMessage):
            if calls or answers:
                yield ParsedTurn("\n".join(requests), tuple(calls), "\n".join(answers))
                requests, answers, calls = [], [], []
            requests.append(message.content)
            started = True
        elif isinstance(message, AssistantMessage):
            started = True
            for call in message.tool_calls:
                usual_name = usual.get(call.name, call.name)
                calls.append(_call(call, usual_name, index, by_name.get(call.name), find, answered.get(call.id)))
            if message.content and not message.tool_calls:
                answers.append(message.content)
    if started:
        yield ParsedTurn("\n".join(requests), tuple(calls), "\n".join(answers))


def _usual_names(proof: ProofLine | None) -> dict[str, str]:
    """Return the usual name of each tool that a run has given another one."""
    return {new.tool: old for old, new in proof.renamed.items()} if proof is not None else {}


def _call(
    call: ToolCall, name: str, index: int, tool: Tool | None, find: "Origins", answer: ToolMessage | None
) -> ParsedCall:
    """Return a call with the origins of its values and its result."""
    return ParsedCall(
        call=call,
        message=index,
        tool=tool,
        name=name,
        values=tuple(find.values(call, index, tool)),
        result=(result := None if answer is None else parse_or_text(answer.content)),
        failed=answer is not None and (answer.is_error or says_failure(result)),
    )


class Origins:
    """Where the values of a conversation come from: as its proof claims, or by search."""

    def __init__(self, conversation: Conversation, proof: ProofLine | None) -> None:
        self._messages = conversation.messages
        self._texts: dict[int, SearchedText] = {}
        self._results: dict[int, dict[str, str] | None] = {}
        self._numbered = 0
        self._claims = None if proof is None else proof.claims_by_call()

    def values(self, call: ToolCall, before: int, tool: Tool | None) -> Iterator[Value]:
        """Yield the leaves of a call's arguments. Calls are to be asked for in their order."""
        number, self._numbered = self._numbered, self._numbered + 1
        if not call.arguments:
            return
        claims = [] if self._claims is None else self._claims[number]
        if not claims:  # nothing is claimed of calls that are wrong on purpose, or that the user only allows
            for pointer, value in leaves(call.arguments):
                yield self._searched(pointer, value, before, tool)
            return
        for pointer, value in leaves(call.arguments):
            yield self._claimed(pointer, value, claims)

    def _claimed(self, pointer: str, value: Any, claims: list[Claim]) -> Value:
        """Return the origin of a value as the proof claims it."""
        best = claim_for(pointer, claims)
        if best is None:
            return Value(pointer, value, "not_found")
        message = best.message if best.message is not None and best.message < len(self._messages) else None
        if best.source != "user":
            return Value(pointer, value, best.source, message)
        if best.start is None or best.end is None or message is None:
            return Value(pointer, value, "reworded", message)
        cited = SearchedText((self._messages[message].content or "")[best.start : best.end])
        origin: Origin = "as_is" if cited.find(value) is not None else "reworded"
        return Value(pointer, value, origin, message, (best.start, best.end), best.verbalizer or "")

    def _searched(self, pointer: str, value: Any, before: int, tool: Tool | None) -> Value:
        """Return the origin of a value that is looked for in the messages before `before`."""
        origin = self.search(pointer, value, before)
        if origin is not None:
            return origin
        unknown: Origin = "not_sought" if _has_no_form(value) else "not_found"
        default = default_at(tool, pointer) if tool is not None else None
        return Value(pointer, value, "default" if default is not None and default == value else unknown)

    def search(self, pointer: str, value: Any, before: int) -> Value | None:
        """Return where a value stands before a message: in what users say, in a result, in a system message; or said in other words.

        None for a value that stands nowhere, and for one such as true or "" that any text could mean.
        """
        if _has_no_form(value):
            return None
        users = [index for index in range(before - 1, -1, -1) if isinstance(self._messages[index], UserMessage)]
        for steps_back, index in enumerate(users):
            span = self._searched_text(index).find(value)
            if span is not None:
                return Value(pointer, value, "earlier_turn" if steps_back else "as_is", index, span)
        for index in range(before - 1, -1, -1):
            where = self._place_in_result(value, index) if isinstance(self._messages[index], ToolMessage) else None
            if where is not None:
                return Value(pointer, value, "result", index, in_result=where)
        for index in range(before):
            span = self._searched_text(index).find(value) if isinstance(self._messages[index], SystemMessage) else None
            if span is not None:
                return Value(pointer, value, "context", index, span)
        holder = next((index for index in users if self._searched_text(index).rewords(value)), None)
        return None if holder is None else Value(pointer, value, "reworded", holder)

    def _place_in_result(self, value: Any, index: int) -> str | None:
        """Return the pointer of a value in a result, of one that is no JSON ""; None where it does not stand there."""
        if index not in self._results:
            result = parse_or_text(self._messages[index].content or "")
            is_json = isinstance(result, dict | list)
            pointers_by_value = {written(leaf): pointer or "/" for pointer, leaf in reversed([*leaves(result)])}
            self._results[index] = pointers_by_value if is_json else None
        pointers = self._results[index]
        if pointers is None:
            return "" if self._searched_text(index).find(value) is not None else None
        return pointers.get(written(value))

    def _searched_text(self, index: int) -> SearchedText:
        """Return the text of a message, ready to be searched."""
        if index not in self._texts:
            self._texts[index] = SearchedText(self._messages[index].content or "")
        return self._texts[index]


def _has_no_form(value: Any) -> bool:
    """Whether a value has no form of its own that could be found in a text: true, null, "" and what is empty."""
    return isinstance(value, bool) or value in (None, "", [], {})


def claim_for(pointer: str, claims: list[Claim]) -> Claim | None:
    """Return the claim about a leaf of a call's arguments: the narrowest of those at its pointer or above it."""
    covering = [c for c in claims if pointer == c.pointer or pointer.startswith(f"{c.pointer}/")]
    return max(covering, key=lambda claim: len(claim.pointer), default=None)
