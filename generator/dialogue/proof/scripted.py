"""The proof of a script's row: whatever the assistant writes is computed from what it was told.

One walk over the messages. What is known grows by the values read back from spans of the user and of system messages, and by
the results, parsed, under their names. Each argument of a call and each span of an answer is its expression, evaluated over
what is known before it, and compared. A value that only the world knows, or that is said later, is not there to be read.
Beside it stand rules that hold for all such rows (`CODES`). Nothing here knows how the row was made.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec

from generator.core.claims import Claim, NamedResult, Proof, ScriptProof, SpanClaim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotFillError
from generator.core.exact_json import same
from generator.core.pointers import split
from generator.core.toolbox import Toolbox
from generator.dialogue.proof.expressions import FAULTS, Expression, Names, read_expression
from generator.dialogue.proof.ledger import Finding
from generator.dialogue.proof.opening import day_in, parsed
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import SpanContext

CODES = {
    "SP101": "each argument of a call is computed from what was said and found before it",
    "SP102": "what the assistant says is computed from what it was told, and its words read as that",
    "SP103": "what the user or a system message says reads as the value that is claimed",
    "SP104": "no figure and no bracket stands outside of claimed values, and no value is empty",
    "SP105": "what makes the words of a text true is so",
    "SP106": "what the user says is used, and a reply says something new",
    "SP107": "a constant argument stands for words of the user that mean it",
    "SP108": "values that calls of one tool take from one message do not lie crosswise",
    "SP109": "a value of a thing stands with that thing's name, or that thing was the last one spoken of",
    "SP110": "a count before a list is the list's length",
    "SP111": "what one of several calls was asked for does not stand with the result of another",
}

AS_IS: dict[str, Callable[[Any], str]] = {"lower": lambda value: f"{value[:1].lower()}{value[1:]}", "plain": str}
"""Ways to say a value that no reader can turn back: compared with what they say. `lower` is for a name within a sentence, `plain`
for a passage of text."""
_CURRENCIES = {"usd": "USD", "eur": "EUR", "gbp": "GBP"}
"""Ways to say an amount → the constant that they say with it."""
_SENTENCE_ENDS = re.compile(r"[.!?](?=\s|$)|\n")
_HEADS = re.compile(r"[.!?](?=\s|$)|\n\n(?!-)")
_BRACKETS = re.compile(r"[\[\]{}|]")
_FIGURE = re.compile(r"\d")
_SEEN_AROUND = 15


class ThingsOfTools(msgspec.Struct, frozen=True):
    """What tools say of the things that they are about."""

    keys: dict[str, str]
    """Field that identifies a thing → kind of thing."""
    called: dict[str, frozenset[str]]
    """Kind → the fields by which people name one, its key among them."""
    choices: dict[str, dict[str, Any]]
    """A value of an `enum` → a schema with all values of it."""

    def reading(self, value: Any, today: date | None) -> SpanContext:
        """Return what a reader may know of a span that says a value of this type."""
        schema = self.choices.get(value) if isinstance(value, str) else None
        kind = "integer" if isinstance(value, int) else "number" if isinstance(value, float) else "string"
        return SpanContext(today=today, schema=schema or {"type": kind})


_LAST: list[tuple[Toolbox, ThingsOfTools]] = []
"""The toolbox of the last row: going through all schemas for each row would take longer than the proof."""


def things_of(toolbox: Toolbox) -> ThingsOfTools:
    """Return what some tools say of the things that they are about."""
    if not _LAST or _LAST[0][0] is not toolbox:
        _LAST[:] = [(toolbox, _read_things(toolbox))]
    return _LAST[0][1]


def _read_things(toolbox: Toolbox) -> ThingsOfTools:
    """Return the key fields, the fields that name an entity, and the values of enums that the declarations of tools hold."""
    entities = {entity.title: entity for spec in toolbox.values() for entity in spec.declared.entities.values()}
    schemas = [schema for spec in toolbox.values() for schema in (spec.tool.parameters, spec.returns) if schema]
    choices: dict[str, dict[str, Any]] = {}
    for enum_values in (enum_values for schema in schemas for enum_values in _enums(schema)):
        for value in enum_values:
            if isinstance(value, str):
                choices.setdefault(value, {"enum": enum_values})
    return ThingsOfTools(
        {entity.key: title for title, entity in entities.items()},
        {title: frozenset({*entity.called, entity.key}) for title, entity in entities.items()},
        choices,
    )


def _enums(schema: Any) -> Iterator[list[Any]]:
    """Yield the values of every `enum` in a schema."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and isinstance(schema.get("enum"), list):
        yield schema["enum"]
    for part in parts:
        yield from _enums(part)


def check_scripts(conversation: Conversation, proof: Proof, toolbox: Toolbox, *, prefix: bool = False) -> list[Finding]:
    """Return all faults of a row of scripts; none for a right one.

    Args:
        conversation: The finished messages.
        proof: What is claimed about them.
        toolbox: The tools by name.
        prefix: Whether the conversation may end before all is done.
    """
    found: list[Finding] = []
    answered: list[Any] = []
    things = things_of(toolbox)
    ends = [*[script.first for script in proof.scripts[1:]], len(conversation.messages)]
    try:
        for script, end in zip(proof.scripts, ends, strict=True):
            if script.first < end:
                found += _Walk(conversation, proof, script, things, answered).faults(script.first, end, prefix=prefix)
    except (CannotFillError, RecursionError, *FAULTS) as fault:  # a claim that cannot be read is a fault of the row
        found.append(_of_message("SP101", 0, f"{type(fault).__name__}: {fault}"))
    return found


class _SpanValue(msgspec.Struct, frozen=True):
    """A span with what it says."""

    claim: SpanClaim
    expression: Expression
    value: Any


Thing = tuple[str, Any]
"""A thing of the world, by kind and key: `("lamp", "L-17")`."""


class _Walk:
    """What is known while the messages are gone through."""

    def __init__(
        self, conversation: Conversation, proof: Proof, script: ScriptProof, things: ThingsOfTools, answered: list[Any]
    ) -> None:
        self.messages, self.things, self.script = conversation.messages, things, script
        first = self.messages[0] if self.messages else None
        self.today = day_in(first.content) if isinstance(first, SystemMessage) else None
        self.known = Names() if self.today is None else Names(today=self.today.isoformat())
        self.known.computed = {one.name: read_expression(one.expression) for one in script.conditions if one.name}
        self.claims: dict[int, list[SpanClaim]] = {}
        for claim in script.spans:
            self.claims.setdefault(claim.message, []).append(claim)
        self.arguments: dict[str, dict[str, Claim]] = {}
        for argument in proof.arguments:
            self.arguments.setdefault(argument.call_id, {})[argument.pointer] = argument
        self.named = {result.call_id: result for result in script.results}
        self.names = {result.name for result in script.results} | {one.name for one in script.conditions if one.name}
        self.meant: list[Any] = []
        """Constants that words of the user mean."""
        self.taken_constants: list[Any] = []
        """Constants that calls take."""
        self.intended: list[tuple[int, Any]] = []
        """Index of a message, and a constant that words of it mean."""
        self.said: dict[str, tuple[int, int, int]] = {}
        """Expression that the user has said → message and span."""
        self.answered = answered
        """The values that answers have told so far."""
        self.last: set[Thing] = set()
        """The things that the last calls were about."""
        self.taken: dict[str, tuple[int, str, frozenset[str]]] = {}
        """Name of a result → index and tool of its call, and the said expressions that its arguments take."""

    def faults(self, first: int, end: int, *, prefix: bool) -> Iterator[Finding]:
        """Yield what is wrong in some messages, one after the other."""
        for index, message in enumerate(self.messages[first:end], first):
            yield from self._failing_conditions(index)
            match message:
                case ToolMessage():
                    self._add_result(message)
                case AssistantMessage() if message.tool_calls:
                    yield from self._faults_of_calls(index, message.tool_calls)
                case AssistantMessage():
                    yield from self._faults_of_answer(index, message.content or "")
                case _:
                    yield from self._faults_of_request(index, message)
        if prefix:
            return
        yield from self._failing_conditions(end, at_end=True)
        yield from self._unused_words()
        last = self.messages[end - 1]
        if not isinstance(last, AssistantMessage) or last.tool_calls:
            yield _of_message("SP102", end - 1, "the last message is no answer")

    def _failing_conditions(self, index: int, *, at_end: bool = False) -> Iterator[Finding]:
        """Yield the conditions of a message that do not hold; at the end those of all messages from it on."""
        for condition in self.script.conditions:
            if condition.name or (condition.message != index and not (at_end and condition.message > index)):
                continue
            try:
                if not read_expression(condition.expression).value(self.known):
                    yield _of_message("SP105", index, f"{condition.expression} does not hold")
            except CannotFillError as fault:
                yield _of_message("SP105", index, str(fault))

    # -- what is said ----------------------------------------------------------------------------------------------------

    def _read_spans(self, index: int, text: str, code: str) -> tuple[list[_SpanValue], list[Finding]]:
        """Return what the spans of a message say, and the faults of those that do not say it.

        The spans of an answer say what their expressions give (`{hotel.price}` → 90, as the results hold it); all
        others say what is claimed.
        """
        right_spans: list[_SpanValue] = []
        faults: list[Finding] = []
        for claim in self.claims.get(index, ()):
            expression = read_expression(claim.expression)
            value = claim.value
            if code == "SP102":
                try:
                    value = expression.value(self.known)
                except CannotFillError as fault:
                    faults.append(_of_message(code, index, f"{{{claim.expression}}}: {fault}"))
                    continue
            span = _SpanValue(claim, expression, value)
            fault_text = (
                "" if claim.verbalizer in ("list", "meant") else self._misread(span, text[claim.start : claim.end])
            )
            if fault_text:
                faults.append(_of_message(code, index, fault_text, claim.start, claim.end))
            else:
                right_spans.append(span)
        return right_spans, faults

    def _misread(self, span: _SpanValue, text: str) -> str:
        """Return what is wrong with the text of a span, "" where it says the value: "ninety euros" for 90 is right."""
        verbalizer, value = span.claim.verbalizer, span.value
        if value is None or value in ("", [], {}):
            return f"{{{span.expression.text}}} is empty"
        if isinstance(span.expression.node, ast.BinOp) and isinstance(value, int | float) and value <= 0:
            return f"{{{span.expression.text}}} is {value}: no figure to tell"
        if verbalizer in AS_IS:
            expected = AS_IS[verbalizer](value)
            is_right = text in (expected, f"{expected[:1].upper()}{expected[1:]}")
            return "" if is_right else f"{text!r} does not say {value!r} ({span.expression.text})"
        try:
            value_read = VERBALIZERS[verbalizer].read(text, self.things.reading(value, self.today))
        except (KeyError, ValueError) as fault:
            return f"{text!r} cannot be read as {verbalizer}: {fault}"
        return (
            ""
            if same(value_read, value)
            else f"{text!r} is read as {value_read!r}, not {value!r} ({span.expression.text})"
        )

    def _faults_of_request(self, index: int, message: SystemMessage | UserMessage) -> Iterator[Finding]:
        """Yield faults of a message of the user or the system, and add what it says to what is known."""
        spans, faults = self._read_spans(index, message.content, "SP103")
        yield from faults
        if isinstance(message, UserMessage):
            yield from _stray_marks(index, self._without_values(index, message.content))
            yield from self._idle_reply(index, spans)
        for span in spans:
            if span.claim.verbalizer in _CURRENCIES:
                self.meant.append(_CURRENCIES[span.claim.verbalizer])
            if span.claim.verbalizer == "meant":
                self.meant.append(span.value)
                self.intended.append((index, span.value))
            elif span.expression.names & self.names:
                yield from self._unknown_to_user(index, span)
            else:
                _add_value(self.known, span)
                self.said[span.expression.text] = (index, span.claim.start, span.claim.end)

    def _unknown_to_user(self, index: int, span: _SpanValue) -> Iterator[Finding]:
        """Yield where the user says something of a result that no answer has told before."""
        try:
            value = span.expression.value(self.known)
        except CannotFillError as fault:
            yield _of_message("SP103", index, str(fault))
            return
        if not same(value, span.value):
            yield _of_message("SP103", index, f"{span.expression.text} is {value!r}, not {span.value!r}")
        elif span.claim.verbalizer != "list" and value not in self.answered:
            yield _of_message("SP103", index, f"the user cannot know {span.expression.text}")

    def _idle_reply(self, index: int, spans: list[_SpanValue]) -> Iterator[Finding]:
        """Yield where an answer to a question says only what has been said before."""
        question = self.messages[index - 1] if index else None
        previous_request = self.messages[index - 2] if index > 1 else None
        if (
            isinstance(question, AssistantMessage)
            and isinstance(previous_request, UserMessage)
            and "?" in (question.content or "")
            and spans
            and all(span.expression.text in self.said for span in spans)
        ):
            yield _of_message("SP106", index, "the reply says what was said before")

    def _without_values(self, index: int, text: str) -> str:
        """Return a text with a line in place of each value: stops and figures in values are none of the text."""
        for claim in self.claims.get(index, ()):
            text = f"{text[: claim.start]}{'_' * (claim.end - claim.start)}{text[claim.end :]}"
        return text

    def _unused_words(self) -> Iterator[Finding]:
        """Yield what the user says and no call, condition or answer uses; of `lamps[0].name`, `lamps` may be what is used."""
        has_policy = any(isinstance(self.messages[claim.message], SystemMessage) for claim in self.script.spans)
        if not self.named or has_policy:  # what is answered or declined without a call is not computed from
            return
        used_expressions = [claim.expression or "" for claims in self.arguments.values() for claim in claims.values()]
        used_expressions += [condition.expression for condition in self.script.conditions]
        used_expressions += [
            claim.expression
            for claim in self.script.spans
            if isinstance(self.messages[claim.message], AssistantMessage)
        ]
        used = "\n".join(used_expressions)
        for index, value in self.intended:
            if value not in self.taken_constants:
                yield _of_message("SP106", index, f"words mean {value!r}, and no call takes it")
        for text, (index, *_) in self.said.items():
            without_element = re.sub(r"\[\d+\](?:\.\w+)?$", "", text)
            if isinstance(self.messages[index], UserMessage) and text not in used and without_element not in used:
                yield _of_message("SP106", index, f"{text} is said and used nowhere")

    # -- what is answered ------------------------------------------------------------------------------------------------

    def _faults_of_answer(self, index: int, text: str) -> Iterator[Finding]:
        """Yield what is wrong with a text of the assistant."""
        spans, faults = self._read_spans(index, text, "SP102")
        yield from faults
        text_without_values = self._without_values(index, text)
        yield from _stray_marks(index, text_without_values)
        yield from _miscounted(index, text_without_values, spans)
        yield from self._beside_wrong_results(index, text_without_values, spans)
        yield from self._of_unnamed_things(index, text_without_values, spans)
        self.answered += [span.value for span in spans]

    def _of_unnamed_things(self, index: int, text: str, spans: list[_SpanValue]) -> Iterator[Finding]:
        """Yield values of a thing in sentences that name others: the price of one hotel behind the name of another.

        `values` are the things that spans show, each as the start of the span, kind, key, fields, and whether the
        span is the thing's name.
        """
        values = [(span.claim.start, *shown) for span in spans for shown in self._things_shown(span)]
        for start, end in _stretches(_SENTENCE_ENDS, text) if values else ():
            values_in_sentence = [value for value in values if start <= value[0] < end]
            names_in_sentence = {
                span.value for span in spans if start <= span.claim.start < end and isinstance(span.value, str)
            }
            for kind in {kind for _, kind, *_ in values_in_sentence}:
                keys_named_here = {
                    key for _, value_kind, key, _, is_name in values_in_sentence if value_kind == kind and is_name
                }
                keys_named_before = {
                    key
                    for position, value_kind, key, _, is_name in values
                    if value_kind == kind and position < end and is_name
                }
                keys_spoken_of = (
                    keys_named_here or keys_named_before or {key for value_kind, key in self.last if value_kind == kind}
                )
                for _, value_kind, key, thing, is_name in values_in_sentence:
                    if value_kind != kind or is_name or not keys_spoken_of or key in keys_spoken_of:
                        continue
                    called = {str(thing[field]) for field in self.things.called[kind] & thing.keys()}
                    if not called & names_in_sentence:
                        what = f"a value of {kind} {key} where {sorted(map(str, keys_spoken_of))} is spoken of"
                        yield _of_message("SP109", index, what)

    def _things_shown(self, span: _SpanValue) -> Iterator[tuple[str, Any, dict[str, Any], bool]]:
        """Yield the things of which a span says a field, each as kind, key, all its fields, and whether that field names the thing: `hotels[0].price` → `("hotel", "H-1", {"id": "H-1", "price": 90, …}, False)`."""
        step = span.expression.step
        if not isinstance(step, str) or not isinstance(thing := span.expression.holder(self.known), dict):
            return
        for key_field in sorted(thing.keys() & self.things.keys.keys()):
            kind = self.things.keys[key_field]
            if isinstance(thing[key_field], str | int):
                yield kind, thing[key_field], thing, step in self.things.called[kind]

    def _beside_wrong_results(self, index: int, text: str, spans: list[_SpanValue]) -> Iterator[Finding]:
        """Yield the user's expressions that stand in a sentence with the result of another call only.

        Two calls of a tool take `first_city` and `second_city`: `first_city` in a sentence that shows only the
        result of the call for `second_city` is a fault. `self.taken` holds, by the name of a result, the message and
        tool of its call, and the user's expressions that its arguments take.
        """
        for start, end in _stretches(_HEADS, text) if len(self.taken) > 1 else ():
            expressions = [span.expression for span in spans if start <= span.claim.start < end]
            results_shown = {name for expression in expressions for name in expression.names & self.taken.keys()}
            for expression in expressions:
                asking_results = {
                    name for name, (_, _, user_expressions) in self.taken.items() if expression.text in user_expressions
                }
                results_beside = {
                    name
                    for name in results_shown
                    for asking_result in asking_results
                    if self.taken[name][:2] == self.taken[asking_result][:2]
                }
                if asking_results and results_beside and not results_beside & asking_results:
                    yield _of_message("SP111", index, f"{expression.text} stands with the result of another call")

    # -- calls -----------------------------------------------------------------------------------------------------------

    def _faults_of_calls(self, index: int, calls: Sequence[ToolCall]) -> Iterator[Finding]:
        """Yield arguments that are not computed from what is known, or stand crosswise; note what the calls are about.

        `user_spans` holds, by expression, where the user said what an argument takes: `{"city": (message, start, end)}`.
        """
        spans_by_tool: dict[str, list[dict[str, tuple[int, int, int]]]] = {}
        self.last = set()
        for call in calls:
            claims = self.arguments.get(call.id, {}) if call.id in self.named else {}
            claimed = {split(pointer)[0] for pointer in claims}
            for key in call.arguments.keys() ^ claimed or ([] if call.id in self.named else [""]):
                what = "nothing tells it" if key in call.arguments else "it is computed, and left out"
                yield _of_argument(call, f"/{key}", what)
            user_spans: dict[str, tuple[int, int, int]] = {}
            for pointer, claim in claims.items():
                if split(pointer)[0] not in call.arguments:
                    continue
                expression = read_expression(claim.expression or "None")
                yield from self._faults_of_argument(call, pointer, expression)
                user_spans |= {text: self.said[text] for text in _parts_of(expression) if text in self.said}
            spans_by_tool.setdefault(call.name, []).append(user_spans)
            if call.id in self.named:
                self.taken[self.named[call.id].name] = (index, call.name, frozenset(user_spans))
            self.last |= self._things_in(call.arguments)
        for tool, calls_of_tool in spans_by_tool.items():
            if _crossed(calls_of_tool):
                yield _of_message("SP108", index, f"the values of two calls of {tool} lie crosswise")

    def _faults_of_argument(self, call: ToolCall, pointer: str, expression: Expression) -> Iterator[Finding]:
        """Yield where an argument is not what its expression gives, or is a constant that no words of the user mean."""
        try:
            value = expression.value(self.known)
        except CannotFillError as fault:
            yield _of_argument(call, pointer, str(fault))
            return
        given: Any = call.arguments
        for step in split(pointer):
            given = given[int(step) if isinstance(given, list) else step]
        if not same(value, given):
            yield _of_argument(call, pointer, f"it is {given!r}, and {expression.text} gives {value!r}")
        self.taken_constants += _constants(expression)
        for constant in _constants(expression):
            if constant not in self.meant:
                yield _of_argument(call, pointer, f"no words of the user mean {constant!r}", "SP107")

    def _add_result(self, message: ToolMessage) -> None:
        """Let the name of a call stand for its result from here on."""
        result_name = self.named.get(message.tool_call_id) or NamedResult(message.tool_call_id, "")
        result = {"error": message.content} if message.is_error else parsed(message.content)
        self.last |= self._things_in(result)
        self.known[result_name.name] = (
            [*self.known.get(result_name.name, ()), result] if result_name.of_several else result
        )

    def _things_in(self, value: Any) -> set[Thing]:
        """Return the things whose keys stand in arguments or a result: `{"lamp_id": "L-17"}` → `{("lamp", "L-17")}`."""
        if isinstance(value, list):
            return {thing for part in value for thing in self._things_in(part)}
        if not isinstance(value, dict):
            return set()
        keys = value.keys() & self.things.keys.keys()
        things_here = {(self.things.keys[key], value[key]) for key in keys if isinstance(value[key], str | int)}
        return things_here.union(*[self._things_in(part) for part in value.values() if isinstance(part, dict | list)])


def _of_message(code: str, index: int, text: str, *span: int) -> Finding:
    return Finding(code, ("message", index, *span), "{}", (text,))


def _of_argument(call: ToolCall, pointer: str, text: str, code: str = "SP101") -> Finding:
    return Finding(code, ("argument", call.id, pointer), "{}{}: {}", (call.name, pointer.replace("/", "."), text))


def _stray_marks(index: int, text: str) -> Iterator[Finding]:
    """Yield figures and brackets that stand outside of values; in the text there is a line in place of each value."""
    if bracket := _BRACKETS.search(text):
        yield _of_message("SP104", index, f"{bracket[0]} is left in the text")
    if figure := _FIGURE.search(text):
        start, end = max(0, figure.start() - _SEEN_AROUND), figure.end() + _SEEN_AROUND
        yield _of_message("SP104", index, f"a figure outside of values: {text[start:end]!r}")


def _add_value(values: Names, span: _SpanValue) -> None:
    """Add the value of a span to the values by name, in place: `lamps[0].name` sets the `name` of the first lamp."""
    *steps, last = path_of(span.expression.node) or [""]
    holder: Any = values
    for step in steps:
        if isinstance(holder, dict) and not isinstance(holder.get(step), dict | list):
            holder[step] = {}
        holder = holder[step]
    if isinstance(holder, dict) or (isinstance(last, int) and last < len(holder)):
        holder[last] = [{} for _ in range(span.value)] if span.claim.verbalizer == "list" else span.value


def path_of(node: ast.AST) -> list[str | int]:
    """Return the steps of an expression that only leads to a value: `lamps[0].name`; none for all others."""
    steps: list[str | int] = []
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=inner, attr=step):
                steps.append(step)
            case ast.Subscript(value=inner, slice=ast.Constant(value=int() | str() as step)):
                steps.append(step)
            case _:
                return []
        node = inner
    return [node.id, *reversed(steps)]


@lru_cache(maxsize=65_536)
def _parts_of(expression: Expression) -> tuple[str, ...]:
    """Return the text of every path within an expression."""
    parts = (ast.Name, ast.Attribute, ast.Subscript)
    return tuple([ast.unparse(node) for node in ast.walk(expression.node) if isinstance(node, parts)])


@lru_cache(maxsize=65_536)
def _constants(expression: Expression) -> tuple[Any, ...]:
    """Return the constants that an argument takes as they are, on its own or within lists and objects."""
    constants: list[Any] = []
    nodes = [expression.node]
    while nodes:
        match nodes.pop():
            case ast.Constant(value=value):
                constants.append(value)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                nodes += parts
    return tuple(constants)


def _stretches(end_pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return start and end of the parts of a text, each of which ends with a match: its sentences, or its paragraphs."""
    bounds = [*[match.end() for match in end_pattern.finditer(text)], len(text)]
    return list(zip([0, *bounds], bounds, strict=False))


def _miscounted(index: int, text: str, spans: list[_SpanValue]) -> Iterator[Finding]:
    """Yield counts that stand before a list in the same sentence and are not its length: "There are five: Ada and Ben" is one."""
    lists = [span for span in spans if span.claim.verbalizer == "list"]
    for span in spans if lists else ():
        end, counted_expression = span.claim.end, span.expression.text.removeprefix("len(").removesuffix(")")
        if span.expression.functions >= {"len"} and span.claim.verbalizer in ("count", "number", "words"):
            later_lists = [list_span for list_span in lists if list_span.claim.start >= end]
            later_lists = [
                list_span
                for list_span in later_lists
                if not re.search(r"[.!?](?=\s)", text[end : list_span.claim.start])
            ]
            list_expression = later_lists[0].expression.text if later_lists else ""
            is_part = (
                " if " in list_expression and counted_expression in list_expression
            )  # "Of the five, these two are …"
            if later_lists and later_lists[0].claim.value != span.value and not is_part:
                yield _of_message(
                    "SP110", index, f"{span.expression.text} is told before a list of {later_lists[0].claim.value}"
                )


def _crossed(calls: list[dict[str, tuple[int, int, int]]]) -> bool:
    """Whether values that calls take alone lie among those of another one of them.

    Each call is given as the user's expressions that it takes, with message, start and end of each; an extent spans
    from the first of its own to the last.
    """
    extents: list[tuple[int, int, int]] = []
    for call in calls:
        own_spans = [span for text, span in call.items() if not all(text in other for other in calls)]
        extents += [
            (message, min(s for m, s, _ in own_spans if m == message), max(e for m, _, e in own_spans if m == message))
            for message in {m for m, _, _ in own_spans}
        ]
    return any(
        extent != other and extent[0] == other[0] and extent[1] < other[2] and other[1] < extent[2]
        for number, extent in enumerate(extents)
        for other in extents[number + 1 :]
    )
