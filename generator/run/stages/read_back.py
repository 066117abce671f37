"""Reading back: a model that does not know the plan, and did not write the words, reads a reworded conversation.

Of requests it says which calls come next, which tools will have to be called later, and what is asked beyond that. The calls must be
those of the plan, and nothing may be left. Of an answer it says where each value comes from, and what else is told. A reading that is
empty where something is said, or that cannot be read, counts as a no.
"""

from collections.abc import Collection, Iterable
from typing import Any

import msgspec
import orjson

from generator.core.claims import AnswerClaim, Proof
from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, ToolMessage, UserMessage
from generator.core.pointers import resolve
from generator.core.toolbox import Toolbox
from generator.core.values import same
from generator.dialogue.proof.ledger import Ledger
from generator.episodes.rewards.matching import match
from generator.formats.accepted import Accepted, accepted
from generator.formats.format import compact_json, tool_object
from generator.llm.asking import Request
from generator.llm.reading import json_of_answer
from generator.run.stages.points import Point, points_of
from generator.run.transcript import lines_of
from generator.run.uses import Uses

USE = "reader"
FAULT = "reads as something else"
_TEXTS = {"type": "array", "items": {"type": "string"}}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_CALL = _object(name={"type": "string"}, arguments={"type": "object"})
_OF_REQUESTS = _object(calls={"type": "array", "items": _CALL}, later=_TEXTS, beyond=_TEXTS)
_VALUE = _object(number={"type": "integer"}, call={"type": "integer"}, place={"type": "string"})
_OF_ANSWER = _object(values={"type": "array", "items": _VALUE}, beyond=_TEXTS)


class Readings:
    """What is read back of one row.

    Args:
        uses: The models.
        conversation: In the template's words.
        proof: What is claimed of it.
        ledger: The same, looked up.
        toolbox: The tools by name.
    """

    def __init__(self, uses: Uses, conversation: Conversation, proof: Proof, ledger: Ledger, toolbox: Toolbox) -> None:
        self._uses = uses
        self._ledger = ledger
        self._toolbox = toolbox
        self._points = list(points_of(conversation, proof))
        requests = {index for point in self._points for index in point.texts}
        answers = [at for at, one in enumerate(conversation.messages) if isinstance(one, AssistantMessage)]
        self.readable = requests.union(answers)
        """Indexes of the messages that can be read back."""

    def requests(self, conversation: Conversation, proof: Proof, texts: Collection[int]) -> list[Request]:
        """Return what is asked of a conversation in which these messages were said anew."""
        return [
            *[self._of_point(conversation, point) for point in self._points_with(texts)],
            *[self._of_answer(conversation, proof, at) for at in self._answers(conversation, texts)],
        ]

    def faults(self, conversation: Conversation, proof: Proof, texts: Collection[int]) -> dict[int, str]:
        """Return, by index, why messages that were said anew must be given up."""
        points, answers = self._points_with(texts), self._answers(conversation, texts)
        requests = self.requests(conversation, proof, texts)
        found = self._uses.asker.ask(*requests)
        schemas = [_OF_REQUESTS] * len(points) + [_OF_ANSWER] * len(answers)
        faults: dict[int, str] = {}
        for place, (request, answer, schema) in enumerate(zip(requests, found, schemas, strict=True)):
            value, fault = json_of_answer(answer, schema)
            self._uses.asker.judge(request, answer, fault)
            if fault:
                fault = f"not read back: {fault}"
            elif place < len(points):
                fault = _difference(points[place], value, self._shown(conversation, points[place]))
            else:
                fault = self._untrue(conversation, proof, answers[place - len(points)], value)
            if fault:
                read = points[place].texts & set(texts) if place < len(points) else {answers[place - len(points)]}
                faults |= dict.fromkeys(read, fault)
        return faults

    def _points_with(self, texts: Collection[int]) -> list[Point]:
        return [point for point in self._points if not point.texts.isdisjoint(texts)]

    def _answers(self, conversation: Conversation, texts: Iterable[int]) -> list[int]:
        return sorted(at for at in texts if isinstance(conversation.messages[at], AssistantMessage))

    def _shown(self, conversation: Conversation, point: Point) -> list[Tool]:
        return [*conversation.tools, *[self._toolbox[name].tool for name in dict.fromkeys(point.missing)]]

    def _of_point(self, conversation: Conversation, point: Point) -> Request:
        before = msgspec.structs.replace(conversation, messages=conversation.messages[: point.at])
        return self._uses.prompts.read.ask(
            _OF_REQUESTS,
            USE,
            tools="\n".join(compact_json(tool_object(tool)) for tool in self._shown(conversation, point)),
            conversation="\n".join(lines_of(before, None)),
        )

    def _of_answer(self, conversation: Conversation, proof: Proof, at: int) -> Request:
        text = conversation.messages[at].content or ""
        told = _told(conversation, proof, at)
        return self._uses.prompts.read_answer.ask(
            _OF_ANSWER,
            USE,
            conversation="\n".join(_numbered(conversation, at)),
            answer=text,
            values="\n".join(f"{number}. {words}" for number, (words, _) in enumerate(told, 1)) or "(none)",
        )

    def _untrue(self, conversation: Conversation, proof: Proof, at: int, value: Any) -> str:
        """Return which value of an answer was read as another one than it is, or what else the answer tells; or nothing."""
        if value["beyond"]:
            return f"{FAULT}: {value['beyond'][0][:300]}"
        calls = _calls_before(conversation, at)
        for number, (words, claim) in enumerate(_told(conversation, proof, at), 1):
            places = [(one["call"], one["place"]) for one in value["values"] if one["number"] == number]
            right = self._value(claim.call_id, claim.of, claim.pointer)
            if not places or not all(
                0 < call <= len(calls) and self._holds(calls[call - 1].id, place, right) for call, place in places
            ):
                return f"{FAULT}: {words!r} is {', '.join(f'{place} of call {call}' for call, place in places) or 'nothing'}"
        return ""

    def _holds(self, call_id: str, place: str, right: Any) -> bool:
        of, slash, rest = place.strip("/").partition("/")
        try:
            found = self._value(call_id, of, f"{slash}{rest}")
        except LookupError:
            return False
        alike = len(right) if isinstance(right, list) and isinstance(found, int) else right
        return same(found, alike)

    def _value(self, call_id: str, of: str, pointer: str) -> Any:
        made = self._ledger.calls[call_id]
        if of not in ("result", "arguments"):
            raise LookupError(of)
        return resolve(made.result if of == "result" else made.arguments, pointer)


def _told(conversation: Conversation, proof: Proof, at: int) -> list[tuple[str, AnswerClaim]]:
    """Return the values that an answer tells, in the order of its text, each with its words and its first claim."""
    text = conversation.messages[at].content or ""
    found: dict[tuple[int, int], AnswerClaim] = {}
    for claim in proof.answers:
        if claim.message == at:
            found.setdefault((claim.start, claim.end), claim)
    return [(text[start:end], claim) for (start, end), claim in sorted(found.items(), key=lambda one: one[0])]


def _calls_before(conversation: Conversation, at: int) -> list[ToolCall]:
    before = conversation.messages[:at]
    return [call for message in before if isinstance(message, AssistantMessage) for call in message.tool_calls]


def _numbered(conversation: Conversation, at: int) -> list[str]:
    """Return what the user said before an answer, and the calls with their numbers and results."""
    results = {one.tool_call_id: one.content for one in conversation.messages[:at] if isinstance(one, ToolMessage)}
    said = [f"User: {one.content}" for one in conversation.messages[:at] if isinstance(one, UserMessage)]
    calls = [
        f"Call {number}: {call.name}, arguments {orjson.dumps(call.arguments).decode()}, result {results.get(call.id, '(none)')}"
        for number, call in enumerate(_calls_before(conversation, at), 1)
    ]
    return [*said, *calls]


def _difference(point: Point, value: Any, tools: list[Tool]) -> str:
    """Return how the calls that were read differ from the plan; an empty text if they do not."""
    by_name = {tool.name: tool for tool in tools}
    right: list[Accepted] = [accepted(call, by_name.get(call.name)) for call in point.calls]
    made = [(call["name"], call["arguments"]) for call in value["calls"]]
    if not match(made, right).exact:
        return f"{FAULT}: {orjson.dumps(value['calls']).decode()[:300]}"
    if value["beyond"]:
        return f"{FAULT}: beyond that, {value['beyond'][0][:300]}"
    if not point.later <= set(value["later"]) <= point.later | point.may_follow:
        return f"{FAULT}: afterwards {', '.join(value['later']) or 'nothing'}"
    return ""
