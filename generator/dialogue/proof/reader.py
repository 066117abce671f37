"""Texts that the program did not write: another model reads what they say, claim by claim, and every claim is evaluated.

What a claim says is the reader's word, whether it is so is found out here: each is held against the calls and results that it names,
no figure, name or state of a text may stand outside of claims, every argument has a source, and every outcome is told.
"""

import re
from calendar import day_name, month_name
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from itertools import chain, pairwise
from math import prod
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.exact_json import same
from generator.core.pointers import escape, expand, leaves, resolve, split
from generator.core.portable import fill
from generator.core.yaml_values import own_data
from generator.dialogue.proof.opening import day_in, is_failure, parsed
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.numbers import NUMBER_WORDS
from generator.dialogue.values.voice import SpanContext
from generator.formats.format import compact_json, tool_text
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import messages_in
from generator.llm.reading import json_of_answer, kind_of_fault

USE, UNREAD = "read", "CL100"
CODES = {
    UNREAD: "a reader's answers follow the schema",
    "CL101": "what a text says agrees with the calls and results that it speaks of",
    "CL102": "no figure, name, currency, state, negation or comparison of a text stands outside of what a reader finds said, and heard from the "
    "user or a tool",
    "CL103": "the user asks for every call, or another call takes something from its result; every argument has a source",
    "CL104": "what came of every call is told",
}
_DATA: dict[str, Any] = own_data(__file__)
_FIGURE = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?")
_NAME = re.compile(r"(?<=[\w,;:)] )[^\W\d_a-z]\w['’\w-]+(?: [^\W\d_a-z][\w'’-]+)*")
_QUOTED = re.compile(r"[\"“][^\"“”\n]{2,300}[\"”]")
_WORD = re.compile(rf"\b(?:{'|'.join(_DATA['words'])})\b", re.IGNORECASE)
_IDLE = frozenset(_DATA["idle"].split())
_CURRENCIES = {
    code: re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE) for code, words in _DATA["currencies"].items()
}
_MOMENT = re.compile(r"(?=\d)(\d{4}-\d\d-\d\d)?(?:(?:^|[T ])(\d\d?):(\d\d)(?::\d\d)?(?:\.\d+)?(?:Z|[-+]\d\d:?\d\d)?)?")
_TIME = re.compile(r"\d\d?:\d\d")
_ALIKE = str.maketrans("‘’“”–—−\n\t\u00a0\u202f", "''\"\"---    ")
_SCALES = (1, 7, 12, 24, 60, 100, 1000, 1440, 3600, 1_000_000)
_WHY = frozenset({"reason", "message", "error"})
_ABOUT = re.compile(rf"\b(?:{_DATA['about']})\b", re.IGNORECASE)
_CODE = re.compile(r"\b[^\W\d_]+-?\d+\b")
_NOT = re.compile(r"\b(?:not|no|never)\b")


class Statement(msgspec.Struct, frozen=True):
    """What some words of a message say: `op`, of these places, is `says`."""

    message: int
    quote: str
    op: str
    at: tuple[tuple[str, str, str], ...] = ()
    """(call, `result` or `arguments`, pointer); `*` stands for every element of a list."""
    says: Any = None
    value: Any = None


class _CallResult(msgspec.Struct):
    """A call, and what came of it."""

    call: ToolCall
    at: int
    told_at: int = 1 << 60
    result: Any = None
    failed: bool = False


# -- asking --------------------------------------------------------------------------------------------------------------


def reading_of(asker: Asker, conversation: Conversation) -> tuple[list[Statement], str]:
    """Return what a reader finds said, and why its answers cannot be used, or nothing."""
    found, fault = list[Statement](), ""
    for request in requests_for(conversation):
        (answer,) = asker.ask(request)
        found, fault = statements_in(answer)
        asker.judge(request, answer, fault)
        if not fault:
            break
    asker.note(USE, kind_of_fault(fault))
    return found, fault


def statements_in(answer: ModelAnswer) -> tuple[list[Statement], str]:
    """Return the claims of an answer, or none and why it cannot be used."""
    answer_object, fault = json_of_answer(answer, _DATA["schema"])
    return ([], fault) if fault else (msgspec.convert(answer_object["claims"], list[Statement]), "")


def requests_for(conversation: Conversation) -> tuple[Request, Request]:
    """Return what a reader is asked, and once more if need be: all messages with their numbers, calls by short names, and the tools."""
    calls = _calls(conversation)
    names = {call_result.call.id: name for name, call_result in calls.items()}
    called = {call_result.call.name for call_result in calls.values()}
    lines = []
    for index, message in enumerate(conversation.messages):
        if isinstance(message, ToolMessage):
            lines.append((index, f"result of {names.get(message.tool_call_id, 'no call')}", message.content))
        elif message.content:
            lines.append((index, _ROLES[type(message)], message.content))
        lines += [
            (index, f"assistant calls {names[call.id]}", f"{call.name} {compact_json(call.arguments)}")
            for call in (message.tool_calls if isinstance(message, AssistantMessage) else ())
        ]
    tools = [
        f"- {tool.name}: {tool.description or ''} {compact_json(tool.parameters or {}) if tool.name in called else ''}".rstrip()
        for tool in conversation.tools
    ]
    shown = [f"[{index}] {who}: {text}".replace("\n", "\n    ") for index, who, text in lines]
    values = {"tools": "\n".join(tools), "conversation": "\n".join(shown)}
    messages = tuple([(role, fill(text, values)) for role, text in messages_in(_DATA["prompt"])])
    request = Request(messages=messages, schema=_DATA["schema"], use=USE)
    return request, msgspec.structs.replace(request, nth=1, again=True)


_ROLES = {SystemMessage: "system", UserMessage: "user", AssistantMessage: "assistant"}


def _calls(conversation: Conversation) -> dict[str, _CallResult]:
    """Return all calls with their results by short name, in order: `{"c1": …, "c2": …}`."""
    calls: dict[str, _CallResult] = {}
    open_calls: dict[str, _CallResult] = {}
    for index, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                open_calls[call.id] = calls[f"c{len(calls) + 1}"] = _CallResult(call, index)
        elif isinstance(message, ToolMessage) and message.tool_call_id in open_calls:
            call_result = open_calls.pop(message.tool_call_id)
            call_result.told_at, call_result.result = index, parsed(message.content)
            call_result.failed = is_failure(message, call_result.result) or _status_failed(call_result.result)
    return calls


def _status_failed(result: Any) -> bool:
    """Whether a result says that the call did not work: by its status, or by what is false and why."""
    return isinstance(result, dict) and (
        str(result.get("status", "")).lower() in _DATA["failed"]
        or result.get("success", result.get("ok")) is False
        or (False in result.values() and not _WHY.isdisjoint(result))
    )


# -- evaluating ----------------------------------------------------------------------------------------------------------


def faults_of_reading(conversation: Conversation, statements: Sequence[Statement]) -> list[Violation]:
    """Return what is wrong with a conversation, if its texts say what a reader finds in them."""
    return [*_Reading(conversation, statements).faults()]


class _Claim(msgspec.Struct):
    """A statement with the values at its places."""

    statement: Statement
    calls: list[_CallResult]
    groups: list[list[Any]]
    """By place."""

    @property
    def values(self) -> list[Any]:
        """Those of all places."""
        return [value for group in self.groups for value in group]

    def means(self, value: Any) -> bool:
        """Whether what is said is this value."""
        return means(self.statement.says, value)

    def is_calculated(self, number: float) -> bool:
        """Whether what is said is a number, rounded as it is told."""
        said = _number(self.statement.says)
        if _ABOUT.search(self.statement.quote) and _is_near(said, number):
            return True
        scales = (1,) if all(isinstance(value, int | float) for value in self.values) else (1, 60, 1440)
        return any(abs(said * scale - number) <= _slack(said, number) * scale for scale in scales)

    def numbers(self) -> list[float]:
        """What stands at each place, added up, with the factor that is no value of a place."""
        return [*map(_total, self.groups), *([] if self.statement.value is None else [_number(self.statement.value)])]

    def things(self) -> list[Any]:
        """What is counted."""
        values = self.values
        if len(values) == 1 and isinstance(values[0], list):
            values = values[0]
        wanted = self.statement.value
        return values if wanted is None else [value for value in values if means(wanted, value)]


def _says_all_values(claim: _Claim) -> bool:
    """Whether what a claim says is what the values at its places are: of a list that it says, each element must be among them; otherwise each of the values must be it."""
    stated = claim.statement.says
    if isinstance(stated, list):
        values = [part for value in claim.values for part in (value if isinstance(value, list) else [value])]
        return all(any(means(stated_element, value) for value in values) for stated_element in stated)
    return all(map(claim.means, claim.values))


def _compared(claim: _Claim, *, more: bool) -> bool:
    """Whether values are more, or less, than what is said ("over 50" of 60 and 70); if nothing is said, whether the first is more, or less, than all others."""
    first, stated = claim.values[0], claim.statement.says
    pairs = (
        [(first, left) for left in claim.values[1:]] if stated is None else [(left, stated) for left in claim.values]
    )
    keys = [(_key(left), _key(right)) for left, right in pairs]
    if _TIME.fullmatch(str(stated)):  # of any day
        keys = [(left % 1440, right) for left, right in keys]
    return bool(keys) and all(
        (left > right if more else left < right) or (stated is not None and left == right) for left, right in keys
    )


def _total(values: list[Any]) -> float:
    """Return the sum of numbers; of moments, the minutes between the first and the second, the third and the fourth and so on: `["09:00", "09:30"]` → 30."""
    numbers = list(map(_number, values))
    if len(values) > 1 and all(isinstance(value, str) and ":" in value for value in values):
        return sum(abs(start - end) for start, end in zip(numbers[::2], numbers[1::2], strict=True))
    return sum(numbers)


def _quotient(claim: _Claim) -> float:
    """Return the sum of all numbers of a claim but the last, divided by the last."""
    *parts, whole = claim.numbers()
    return sum(parts) / whole


def _difference(claim: _Claim) -> float:
    """Return how far the first number of a claim is from the sum of the others."""
    first, *others = claim.numbers()
    return abs(first - sum(others))


def _is_empty(result: Any) -> bool:
    """Whether a result holds nothing: its lists are empty or, if it has none, it has no whole number but 0."""
    values = [*result.values()] if isinstance(result, dict) else [result]
    lists = [part for part in values if isinstance(part, list)]
    return not any(lists) if lists else not any(values) or not any(isinstance(part, int) and part for part in values)


OPS: dict[str, Callable[[_Claim], bool]] = {
    "is": _says_all_values,
    "about": lambda claim: all(claim.means(one) or _is_near(claim.statement.says, one) for one in claim.values),
    "more": lambda claim: _compared(claim, more=True),
    "less": lambda claim: _compared(claim, more=False),
    "count": lambda claim: _number(claim.statement.says) == len(claim.things()),
    "sum": lambda claim: claim.is_calculated(_total(claim.values)),
    "difference": lambda claim: claim.is_calculated(_difference(claim)),
    "product": lambda claim: claim.is_calculated(prod(claim.numbers())),
    "ratio": lambda claim: _is_near(claim.statement.says, _quotient(claim)),
    "mean": lambda claim: claim.is_calculated(_total(claim.values) / len(claim.values)),
    "min": lambda claim: _key(claim.values[0]) == min(map(_key, claim.values)),
    "max": lambda claim: _key(claim.values[0]) == max(map(_key, claim.values)),
    "order": lambda claim: (
        (keys := list(map(_key, claim.values))) == sorted(keys, reverse=claim.statement.says == "falling")
    ),
    "all": _says_all_values,
    "none": lambda claim: not any(map(claim.means, claim.values)),
    "any": lambda claim: any(map(claim.means, claim.values)),
    "same": lambda claim: (
        all(same(one, other) for one, other in pairwise(claim.values)) == (claim.statement.says is not False)
    ),
    "done": lambda claim: bool(claim.calls) and not any(made.failed for made in claim.calls),
    "failed": lambda claim: bool(claim.calls) and all(made.failed for made in claim.calls),
    "empty": lambda claim: (
        bool(claim.calls) and all(not made.failed and _is_empty(made.result) for made in claim.calls)
    ),
    "not_done": lambda claim: all(made.failed for made in claim.calls),
    "arg": _says_all_values,
    "beyond": lambda claim: False,
    **dict.fromkeys(("given", "asks", "opinion", "wish", "chosen"), lambda claim: True),
}
"""When a claim is so; what must hold of its words besides stands in `_Reading`."""
_OF_USER = frozenset({"wish", "arg"})
_WITHOUT_VALUES = frozenset({"count", "none", "not_done", "given", "asks", "opinion", "chosen"})


class _Reading:
    """A conversation with what a reader finds said in it."""

    def __init__(self, conversation: Conversation, statements: Sequence[Statement]) -> None:
        self.messages, self.statements, self.tools = conversation.messages, statements, conversation.tools
        self.texts = [message.content or "" for message in conversation.messages]
        self.calls = _calls(conversation)
        first = conversation.messages[0] if conversation.messages else None
        self.day = day_in(first.content) if isinstance(first, SystemMessage) else None
        keys = [key for made in self.calls.values() for at, _ in leaves(made.result) for key in split(at)]
        self.known = _plain(
            " ".join([*map(tool_text, conversation.tools), *[key for key in keys if not key.isdecimal()]])
        )
        self.told: dict[int, list[tuple[int, int, set[float]]]] = {}
        """By message: the places of quotes, each with the numbers that its claim accounts for."""

    def faults(self) -> Iterator[Violation]:
        """Yield all faults: of claims, of words outside of them, of calls without a source, and of outcomes that nobody is told."""
        for statement in self.statements:
            fault = self._fault(statement)
            if fault:
                places = f"{statement.op} {' '.join(map(':'.join, statement.at))}".rstrip()
                stated = "" if statement.says is None else f" says {compact_json(statement.says)}"
                yield Violation(
                    "CL101",
                    f"$.messages[{statement.message}]",
                    f"{compact_json(statement.quote)} ({places}){stated}: {fault}",
                )
        for index, message in enumerate(self.messages):
            if isinstance(message, AssistantMessage) and message.content:
                for kind, words in self._untold_words(index, message.content):
                    yield Violation("CL102", f"$.messages[{index}]", f"{kind} {compact_json(words)} is in no claim")
        for name, call_result in self.calls.items():
            yield from self._sources(name, call_result)
            if self._is_untold(name, call_result):
                fault = f"nobody is told what came of {name} ({call_result.call.name})"
                yield Violation("CL104", f"$.messages[{call_result.at}]", fault)

    # -- single claims ---------------------------------------------------------------------------------------------------

    def _fault(self, statement: Statement) -> str:
        """Return why a claim is not so, or nothing; notes which words it accounts for."""
        if not 0 <= statement.message < len(self.messages):
            return "there is no such message"
        by_user = not isinstance(self.messages[statement.message], AssistantMessage)
        calls = [self.calls[name] for name, _, _ in statement.at if name in self.calls]
        if len(calls) < len(statement.at):
            return "there is no such call"
        result_calls = [
            call_result for call_result, (_, root, _) in zip(calls, statement.at, strict=True) if root == "result"
        ]
        if not by_user and any(call_result.told_at > statement.message for call_result in result_calls):
            return "it is said before it is found"
        claim = _Claim(statement, calls, [])
        try:
            claim.groups = [self._values(place, statement) for place in statement.at]
            is_so = OPS[statement.op](claim) and (bool(claim.values) or statement.op in _WITHOUT_VALUES)
        except (LookupError, TypeError, ValueError, ArithmeticError) as fault:
            is_so, claim.groups = False, claim.groups or [[f"nothing of that kind ({fault})"]]
        self._note(claim)
        if not is_so:
            held = "; ".join(compact_json(value)[:200] for value in claim.values[:8])
            return f"the results and calls hold {held}" if statement.at else "nothing in the conversation tells it"
        return self._fault_of_speaker(claim, by_user=by_user) or self._fault_of_quote(claim)

    def _fault_of_speaker(self, claim: _Claim, *, by_user: bool) -> str:
        """Return why a claim that is so cannot be said by this one, or at this time."""
        statement = claim.statement
        if statement.op in _OF_USER:
            if any(call_result.at <= statement.message for call_result in claim.calls):
                return "it is said after the call is made"
            return "" if by_user else "the user does not say it"
        if statement.op == "given" and not self._is_heard(str(statement.says), statement.message):
            return "neither the user nor a tool says that"
        for name, call_result in self.calls.items() if statement.op == "not_done" else ():
            if (
                call_result.call.name == statement.says
                and call_result.at < statement.message
                and not call_result.failed
            ):
                arguments = [value for _, value in leaves(call_result.call.arguments)]
                if not statement.at and (
                    statement.value is None or any(means(statement.value, value) for value in arguments)
                ):
                    return f"it was done by {name}"
        return ""

    def _fault_of_quote(self, claim: _Claim) -> str:
        """Return why the words of a claim that is so do not say what the reader takes them for: "on Monday" for a date that is a Tuesday."""
        statement = claim.statement
        figures_in_quote = [figure for _, _, figure in _figures(statement.quote)]
        if figures_in_quote and type(statement.says) in {int, float} and statement.op not in {"is", "count"}:
            figures_of_value = _accounted([statement.says])
            differences = {
                abs(first - second) + more for first, second in pairwise(figures_in_quote) for more in (0, 1)
            }
            if (
                not any(_is_accounted(figure, figures_of_value) for figure in figures_in_quote)
                and statement.says not in differences
            ):
                return "the quote has another figure"
        try:
            day = date.fromisoformat(str(statement.says)[:10])
        except ValueError:
            return self._fault_of_currency(claim) if type(statement.says) in {int, float} else ""
        for names, number in ((day_name, day.weekday()), (month_name, day.month)):
            names_in_quote = [
                name for name in names if name and re.search(rf"\b{name}\b", _QUOTED.sub("", statement.quote))
            ]
            if names_in_quote and names[number] not in names_in_quote:
                return f"{statement.says} is no {' or '.join(names_in_quote)}"
        if statement.op == "arg" and self.day is not None:
            try:
                day_read = VERBALIZERS["date"].read(statement.quote, SpanContext(self.day))
            except ValueError:
                return ""
            return "" if str(statement.says).startswith(day_read) else f"the words say {day_read}"
        return ""

    def _fault_of_currency(self, claim: _Claim) -> str:
        """Return why the currency of an amount is not the one that its result names."""
        currencies_in_quote = {code for code, pattern in _CURRENCIES.items() if pattern.search(claim.statement.quote)}
        currencies_in_results = (
            {self._currency_beside(place) for place in claim.statement.at} & _CURRENCIES.keys()
            if currencies_in_quote
            else set()
        )
        return (
            f"the amount is in {' and '.join(sorted(currencies_in_results))}"
            if currencies_in_results - currencies_in_quote
            else ""
        )

    def _currency_beside(self, place: tuple[str, str, str]) -> str:
        """Return the currency that stands closest to a value, "" where there is none: of `("c1", "result", "/room/price")`, that of the field `currency` in the room, or else beside it."""
        holder, currency = self._source(place), ""
        with suppress(LookupError):  # a list without elements
            for step in split(place[2]):
                values_of_currency_keys = (
                    [value for key, value in holder.items() if "currency" in key.lower()]
                    if isinstance(holder, dict)
                    else []
                )
                currency = next(
                    (value.upper() for value in values_of_currency_keys if isinstance(value, str)), currency
                )
                holder = resolve(holder, f"/{escape(step.replace('*', '0'))}")
        return currency

    def _values(self, place: tuple[str, str, str], statement: Statement) -> list[Any]:
        """Return the values at a place such as `("c1", "result", "/rooms/*/price")`; raises LookupError where there is none, unless that is what is said."""
        source, pointer = self._source(place), place[2]
        if pointer and not pointer.startswith("/"):
            pointer = f"/{pointer}"
        try:
            return [
                resolve(source, pointer_of_element)
                for pointer_of_element in (expand(source, pointer) if "*" in pointer else [pointer])
            ]
        except LookupError:
            if statement.op == "is" and statement.says is None:
                return [None]
            raise

    def _source(self, place: tuple[str, str, str]) -> Any:
        """Return the result or the arguments that a place `("c1", "result", "/rooms/0")` leads into."""
        made = self.calls[place[0]]
        return made.result if place[1] == "result" else made.call.arguments

    def _note(self, claim: _Claim) -> None:
        """Note which words a claim is about, and which numbers it accounts for."""
        statement = claim.statement
        numbers = _accounted(
            [
                statement.says,
                statement.value,
                *(claim.values if statement.op not in {"wish", "done", "failed", "empty"} else ()),
                *(_CODE.findall(statement.quote) if statement.op == "asks" else ()),  # what is offered may be new
            ]
        )
        text, quote = (
            quoted_words.translate(_ALIKE).lower() for quoted_words in (self.texts[statement.message], statement.quote)
        )
        for quoted_words in dict.fromkeys((quote, quote.strip(" .,;:!?*\"'"))):
            spans = [match.span() for match in re.finditer(re.escape(quoted_words), text)] if quoted_words else []
            self.told.setdefault(statement.message, []).extend((start, end, numbers) for start, end in spans)
            if spans:
                return

    # -- words outside of claims -----------------------------------------------------------------------------------------

    def _untold_words(self, index: int, text: str) -> Iterator[tuple[str, str]]:
        """Yield figures, names, quotations, currencies and words of states in a text that lie outside of claims, each with what it is: `("the figure", "12")`."""
        claimed_spans = self.told.get(index, [])
        for start, end, figure in _figures(text):
            numbers_around = [
                numbers
                for claim_start, claim_end, numbers in claimed_spans
                if claim_start <= start and end <= claim_end
            ]
            if not any(_is_accounted(figure, numbers) for numbers in numbers_around) and not self._is_heard(
                text[start:end], index
            ):
                yield "the figure", text[start:end]
        for kind, pattern in (("the name", _NAME), ("the quotation", _QUOTED), *_OF_CURRENCIES):
            for match in pattern.finditer(text):
                if not _within(match.span(), claimed_spans) and not self._is_heard(match[0], index):
                    yield kind, match[0]
        keys = {
            part.lower()
            for statement in self.statements
            if statement.message == index
            for _, _, place in statement.at
            for part in split(place)
        }
        for match in chain(_WORD.finditer(text), *self._choices(text)):
            if match[0].lower() not in _IDLE | keys and not _within(match.span(), claimed_spans):
                yield "the word", match[0]

    def _choices(self, text: str) -> Iterator[Iterator[re.Match[str]]]:
        """Yield the members of enums, in words, that a text holds and nobody has said before."""
        leaves_of_schemas = [(split(steps), leaf) for tool in self.tools for steps, leaf in leaves(tool.parameters)]
        for choice in sorted(
            {leaf for steps, leaf in leaves_of_schemas if "enum" in steps and isinstance(leaf, str) and len(leaf) > 2}
        ):
            pattern = re.escape(choice.replace("_", " ").lower()).replace(r"\ ", "[ _-]")
            if not self._is_said(choice, len(self.messages)):
                yield re.finditer(rf"\b{pattern}\b", text, re.IGNORECASE)

    def _is_said(self, words: str, before: int) -> bool:
        """Whether the user or the system message says words, before a message."""
        plain, earlier = _plain(words), zip(self.texts[:before], self.messages, strict=False)
        return any(plain in _plain(text) for text, by in earlier if isinstance(by, UserMessage | SystemMessage))

    def _is_heard(self, words: str, before: int) -> bool:
        """Whether the user, the system message or a tool's own text says words, before a message."""
        return self._is_said(words, before) or _plain(words) in self.known

    # -- calls -----------------------------------------------------------------------------------------------------------

    def _sources(self, name: str, call_result: _CallResult) -> Iterator[Violation]:
        """Yield why a call, or one of its arguments, comes from nowhere."""
        where = f"$.messages[{call_result.at}]"
        statements = [
            (statement, pointer) for statement in self.statements for call, of, pointer in statement.at if call == name
        ]
        if (
            not any(statement.op == "wish" for statement, _ in statements)
            and not self._helps(call_result)
            and not self._is_again(call_result)
        ):
            yield Violation("CL103", where, f"nobody asks for {name} ({call_result.call.name})")
        pointers_with_source = [
            pointer for statement, pointer in statements if statement.op in {"arg", "chosen", "beyond", "given"}
        ]
        tool = next((tool for tool in self.tools if tool.name == call_result.call.name), None)
        defaults = ((tool.parameters or {}).get("properties") or {}) if tool is not None else {}
        for key, argument in call_result.call.arguments.items():
            declared = defaults.get(key)
            if isinstance(declared, dict) and "default" in declared and same(declared["default"], argument):
                continue
            for pointer, value in leaves(argument, f"/{escape(key)}"):
                if not any(
                    f"{pointer}/".startswith(f"{statement}/") for statement in pointers_with_source if statement
                ) and not self._is_found(value, call_result):
                    yield Violation("CL103", where, f"nothing says {pointer} of {name}: {compact_json(value)[:200]}")

    def _is_found(self, value: Any, call_result: _CallResult) -> bool:
        """Whether an argument is copied from what the user or the system message says, or from an earlier result."""
        earlier_calls = [earlier_call for earlier_call in self.calls.values() if earlier_call.told_at < call_result.at]
        if any(same(value, leaf) for earlier_call in earlier_calls for _, leaf in leaves(earlier_call.result)):
            return True
        if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
            number_words = [word for word, number in NUMBER_WORDS.items() if number == value] if value != 1 else []
            texts = [
                text
                for text, earlier_call in zip(self.texts[: call_result.at], self.messages, strict=False)
                if not isinstance(earlier_call, ToolMessage)
            ]
            return any(_plain(words) in _plain(text) for words in (str(value), *number_words) for text in texts)
        return value in ([], {}, None)

    def _helps(self, call_result: _CallResult) -> bool:
        """Whether a later call takes something from the result."""
        values_in_result = [
            leaf
            for _, leaf in leaves(call_result.result)
            if isinstance(leaf, str | int | float) and not isinstance(leaf, bool)
        ]
        later_calls = [later_call for later_call in self.calls.values() if later_call.at > call_result.told_at]
        return any(
            same(value, leaf)
            for later_call in later_calls
            for _, value in leaves(later_call.call.arguments)
            for leaf in values_in_result
        )

    def _is_again(self, call_result: _CallResult) -> bool:
        """Whether a call is made in place of an earlier one that failed or found nothing."""
        return any(
            earlier.call.name == call_result.call.name
            and earlier.told_at < call_result.at
            and (earlier.failed or _is_empty(earlier.result))
            for earlier in self.calls.values()
        )

    def _is_untold(self, name: str, call_result: _CallResult) -> bool:
        """Whether no text after a call says what came of it."""
        later_answers = [
            at
            for at, text in enumerate(self.texts)
            if at > call_result.told_at and text and isinstance(self.messages[at], AssistantMessage)
        ]
        statements = [
            statement
            for statement in self.statements
            if statement.message in later_answers
            and any(
                call == name and (of == "result" or not call_result.failed or statement.op in _OF_FAILED)
                for call, of, _ in statement.at
            )
        ]
        later_calls = [
            statement
            for statement in self.calls.values()
            if statement.at > call_result.told_at and statement.call.name == call_result.call.name
        ]
        return (
            bool(later_answers)
            and not statements
            and not (
                later_calls
                if call_result.failed
                else self._helps(call_result) or (_is_empty(call_result.result) and later_calls)
            )
        )


_OF_FAILED = frozenset({"failed", "not_done", "done"})
_OF_CURRENCIES = tuple([("the currency", words) for words in _CURRENCIES.values()])


# -- words and values ----------------------------------------------------------------------------------------------------


def means(stated: Any, value: Any) -> bool:
    """Whether what a reader says of words is a value, whichever way either is written: `"17:30"` and `"2026-03-01T17:30"`, `"yes"` and `True`, `"Ada"` and `["Ada", "Ben"]`."""
    if isinstance(value, list) and not isinstance(stated, list):
        return any(means(stated, part) for part in value)
    if same(stated, value):
        return True
    if isinstance(stated, bool) or isinstance(value, bool) or stated is None or value is None:
        return str(stated).lower() in _YES_NO.get(value, ()) if isinstance(value, bool) else value in ("", [], {})
    if isinstance(stated, int | float) or isinstance(value, int | float):
        try:
            return abs(_number(stated) - _number(value)) <= _slack(_number(stated), _number(value))
        except ValueError:
            return False
    stated_words, value_words = _plain(str(stated)), _plain(value if isinstance(value, str) else compact_json(value))
    return (
        bool(stated_words.strip())
        and stated_words in value_words
        and bool(_NOT.search(stated_words)) == bool(_NOT.search(value_words))
    )


_YES_NO = {True: ("yes", "true"), False: ("no", "false")}


def _plain(text: str) -> str:
    """Return the words and numbers of a text in lower case, without plurals and marks, with spaces around: "2 Rooms-Left" → " 2 room left "."""
    tokens = re.findall(r"\d+|[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return f" {' '.join([token.lstrip('0') or '0' if token.isdecimal() else token.removesuffix('s') for token in tokens])} "


def _number(value: Any) -> float:
    """Return a value as a number, moments in minutes: `"3 rooms"` → 3, `"01:30"` → 90; raises ValueError for others."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    moment = _MOMENT.fullmatch(str(value))
    if moment is not None and any(moment.groups()):
        day = date.fromisoformat(moment[1]).toordinal() if moment[1] else 0
        return 1440 * day + 60 * int(moment[2] or 0) + int(moment[3] or 0)
    figures = _figures(str(value))
    if len(figures) != 1:
        raise ValueError(f"{value!r} is no number")
    return figures[0][2]


def _key(value: Any) -> Any:
    """Return by what a value is compared: a number where it can be read as one, or else its text."""
    try:
        return _number(value)
    except ValueError:
        return str(value).casefold()


def _slack(stated: float, value: float) -> float:
    """Return how far a number may be from the one that is told, by the decimals that are told."""
    decimals = len(str(stated).partition(".")[2]) if isinstance(stated, float) and stated != int(stated) else 0
    return 0.5 * 10.0**-decimals + 1e-9 if decimals or abs(value) >= 100 else 1e-9


def _is_near(said: Any, value: Any) -> bool:
    """Whether a number that is said is at most 6 % off a value."""
    return abs(_number(said) - _number(value)) <= 0.06 * abs(_number(value))


def _figures(text: str) -> list[tuple[int, int, float]]:
    """Return the numbers in digits, with their places."""
    return [(*match.span(), float(match[0].replace(",", ""))) for match in _FIGURE.finditer(text)]


def _accounted(values: Sequence[Any]) -> set[float]:
    """Return the numbers that a text may have for values: hours and minutes of minutes, of a time the hour after noon, other units."""
    numbers: set[float] = set()
    for _, _, number in chain.from_iterable(
        _figures(value if isinstance(value, str) else compact_json(value)) for value in values
    ):
        numbers |= {number // 60, number % 60, number - 12}
        numbers |= {scaled for scale in _SCALES for scaled in (number * scale, number / scale)}
    return numbers


def _is_accounted(figure: float, numbers: set[float]) -> bool:
    """Whether a figure of a text is one of some numbers, as far as its decimals say."""
    return any(abs(figure - number) <= _slack(figure, number) for number in numbers)


def _within(span: tuple[int, int], claimed_spans: Sequence[tuple[int, int, set[float]]]) -> bool:
    """Whether a span lies within one of the quotes of claims (start, end, numbers)."""
    return any(start <= span[0] and span[1] <= end for start, end, _ in claimed_spans)
