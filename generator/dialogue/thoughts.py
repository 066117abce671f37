"""What the assistant thinks before it calls or answers, made from the row's proof."""

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from generator.core.claims import Claim, Proof
from generator.core.conversation import AssistantMessage, Conversation, Thoughts, ToolCall, UserMessage
from generator.core.exact_json import loads
from generator.core.pointers import escape, resolve, resolve_or_none, split
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.core.yaml_values import own_data
from generator.dialogue.values.numbers import ORDINAL_WORDS, SPELLED, ordinal_digits
from generator.dialogue.wording.phrases.value_wording import what_follows
from generator.tools.productions import spoken_name

_TEXTS: dict[str, Any] = own_data(__file__)
_POLITE = re.compile(r"\b(?:please|thanks|thank you|could you|would you|can you|kindly)\b", re.IGNORECASE)
_IMPERATIVE = re.compile(r"(?:[A-Z][a-z]*[a-rt-z]) (?:.*)")
_MOST_COMPARED = 5


def as_they_are(call: ToolCall) -> list[str]:
    """Return the arguments of a call about which nothing is claimed: it is made again, or made wrong on purpose."""
    return [f"{name} is {shown(value)}" for name, value in call.arguments.items()]


def values_of(origins: list[list[str]]) -> list[str]:
    """Return sentences on where the values of some calls come from; what all of them share is said once: `[["city is Oslo", "day is 1"], ["city is Oslo", "day is 2"]]` → "In all of them city is Oslo.", "Call 1: day is 1.", "Call 2: day is 2."."""
    if len(origins) == 1:
        return [f"{'; '.join(origins[0])}."] if origins[0] else []
    shared = [origin for origin in origins[0] if all(origin in origins_of_call for origins_of_call in origins[1:])]
    sentences = [f"In all of them {'; '.join(shared)}."] if shared else []
    for number, origins_of_call in enumerate(origins, 1):
        other_origins = [origin for origin in origins_of_call if origin not in shared]
        if other_origins:
            sentences.append(f"Call {number}: {'; '.join(other_origins)}.")
    return sentences


def origin_of(claim: Claim, call: ToolCall, conversation: Conversation, asked_at: dict[str, int]) -> str:
    """Return where one value comes from: `date is 2026-03-14 ("next Friday")`."""
    value = resolve(call.arguments, claim.pointer)
    written = shown(value)
    name_and_value = f"{named(claim.pointer)} is {written}"
    if claim.source == "default":
        return f"{name_and_value}, as the schema has it"
    quoted_words = _words(claim, conversation, asked_at)
    if claim.source == "result":
        compared_values = _compared(claim, conversation)
        explanation = "; ".join(filter(None, [f'"{quoted_words}"' if quoted_words else "", compared_values]))
        return f"{name_and_value}, from the result of {_called(claim, conversation)}" + (
            f" ({explanation})" if explanation else ""
        )
    return name_and_value if quoted_words is None or quoted_words == written else f'{name_and_value} ("{quoted_words}")'


def _compared(claim: Claim, conversation: Conversation) -> str:
    """Return what a description such as "the cheapest one" compares: `lowest total: 83, against 136 and 164`."""
    extreme, _, field = (claim.pick or "").partition(" ")
    path = split(claim.result_pointer or "")
    list_step = next((at for at, step in enumerate(path) if step.isdecimal()), None)
    if extreme not in ("min", "max") or list_step is None:
        return ""
    try:
        result = loads(conversation.messages[claim.message or 0].content or "")
        values = [resolve(element, field) for element in resolve(result, "/".join(map(escape, path[:list_step])))]
    except (LookupError, ValueError):
        return ""
    taken_value = values.pop(int(path[list_step]))
    other_values = list(map(shown, values[:_MOST_COMPARED]))
    more_marks = ["more"] if len(values) > _MOST_COMPARED else []
    listed = "".join(
        map("".join, zip([*other_values, *more_marks], what_follows(len(other_values) + len(more_marks)), strict=True))
    )
    return f"{'lowest' if extreme == 'min' else 'highest'} {named('/' + field)}: {shown(taken_value)}, against {listed}"


def _words(claim: Claim, conversation: Conversation, asked_at: dict[str, int]) -> str | None:
    """Return the words that a claim is about; for a value from a result, those that describe it in the request for the call."""
    place = claim.referred or claim.words_at(asked_at.get(claim.call_id))
    said = None if place is None else conversation.messages[place[0]].content
    return None if place is None or not said else without_quotes(said[place[1] : place[2]])


def _called(claim: Claim, conversation: Conversation) -> str:
    """Return the tool whose result a claim is about."""
    answer = conversation.messages[claim.message or 0]
    return answer.name or "an earlier call"


def shown(value: Any) -> str:
    """Return a value as thoughts write it: texts as they are, all else as JSON."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def named(pointer: str) -> str:
    """Return a pointer as people write it: `stops[0].city` for `/stops/0/city`."""
    first, *rest = split(pointer)
    return first + "".join([f"[{step}]" if step.isdecimal() else f".{step}" for step in rest])


def without_quotes(words: str) -> str:
    """Return words without the marks around them: they are quoted once more."""
    return words.strip('"“”')


class Because(msgspec.Struct, frozen=True):
    """A rule of the system message because of which a message is as it is."""

    text: str
    seen: Mapping[str, Any] = {}
    """The values that decide, by name."""


class Told(msgspec.Struct, frozen=True):
    """What the proof says of a conversation, by message and by call."""

    conversation: Conversation
    toolbox: Toolbox
    claims: dict[str, list[Claim]]
    asked_at: dict[str, int]
    """By call id, the message that asks for the call."""
    asks: dict[int, str]
    """By message, the name of the value that it asks for."""
    otherwise: dict[int, str]
    """By message, which texts say why it tells something else than the result of a call that succeeded."""
    seen: dict[int, str]
    """By message of the user, what can be seen of them."""
    reasons: dict[int, str]
    """By message of the user, why they ask."""
    because: Mapping[int, Sequence[Because]]


def told_of(
    conversation: Conversation, proof: Proof, toolbox: Toolbox, because: Mapping[int, Sequence[Because]]
) -> Told:
    """Return what a proof says of a conversation; `because` is kept as it is."""
    claims: dict[str, list[Claim]] = {}
    for claim in proof.arguments:
        claims.setdefault(claim.call_id, []).append(claim)
    _claim_demanded(conversation, proof, claims)
    asks = {ask.message: spoken_name(split(ask.pointer)[-1]) or "value" for ask in proof.asks}
    return Told(
        conversation=conversation,
        toolbox=toolbox,
        claims=claims,
        asked_at={wish.call_id: wish.message for wish in proof.wishes},
        asks=asks,
        otherwise={tell.message: _TEXTS["reasons"][tell.how] for tell in proof.tells if tell.how in _TEXTS["reasons"]},
        seen={**{at + 1: _TEXTS["answers"] for at in asks}, **_seen_of_the_user(proof)},
        reasons=_reasons_of_the_user(conversation, proof),
        because=because,
    )


def _claim_demanded(conversation: Conversation, proof: Proof, claims: dict[str, list[Claim]]) -> None:
    """Claim of calls that only a policy demands what is claimed of the calls before which they are made, as far as they have the same values."""
    made = {
        call.id: call
        for message in conversation.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }
    wishes = {wish.call_id: wish for wish in proof.wishes}
    for wish in proof.wishes:
        helped = wishes.get(wish.helps or "")
        if wish.demanded and helped is not None and wish.call_id in made and wish.call_id not in claims:
            whole = made[helped.call_id].arguments if helped.call_id in made else helped.unmade or {}
            own = made[wish.call_id].arguments
            claims[wish.call_id] = [
                claim
                for claim in (*claims.get(helped.call_id, ()), *helped.said)
                if resolve_or_none(own, claim.pointer) == resolve_or_none(whole, claim.pointer) is not None
            ]


def _they_say_why(said: str) -> str:
    return f'They say why: "{without_quotes(said)}"' + ("" if said.endswith((".", "!", "?")) else ".")


def _seen_of_the_user(proof: Proof) -> dict[int, str]:
    """Return, by message, what can be seen of the user in messages that are more than a request."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    found: dict[int, str] = {}
    for tell in proof.tells:
        if tell.how == "proposed" and tell.call_id in asked_at:
            found[asked_at[tell.call_id]] = _TEXTS["proposes"]
        elif tell.how in ("ruled_out", "kept_back") and tell.call_id in asked_at:
            found.setdefault(asked_at[tell.call_id], _TEXTS["requests"])
        elif tell.how in _TEXTS["replies"]:
            found[tell.message] = _TEXTS["replies"][tell.how]
    return found


def _reasons_of_the_user(conversation: Conversation, proof: Proof) -> dict[int, str]:
    """Return, by message, why the user asks, in their words."""
    return {
        tell.message: _they_say_why((conversation.messages[tell.message].content or "")[tell.start : tell.end])
        for tell in proof.tells
        if tell.how == "reason" and tell.message < len(conversation.messages)
    }


def _one_of(key: str, draw: Draw) -> str:
    """Return one of the texts under a key."""
    return str(draw.choice(_TEXTS[key]))


def think(
    conversation: Conversation,
    proof: Proof,
    toolbox: Toolbox,
    blocks: Sequence[str],
    draw: Draw,
    because: Mapping[int, Sequence[Because]] = MappingProxyType({}),
) -> Conversation:
    """Return the conversation with thoughts before each assistant message.

    Args:
        conversation: A finished conversation.
        proof: Where its values come from.
        toolbox: The tools that are called, for their descriptions.
        blocks: Which of `reflect`, `introspect` and `reason` to write.
        draw: The row's stream; it is drawn from only here.
        because: The rules of the system message that a message follows, by its index.
    """
    told = told_of(conversation, proof, toolbox, because)
    messages = list(conversation.messages)
    for i, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.train:
            introspect, reason = _aim_and_reason(told, i, message, draw)
            reason = " ".join([*_rules(told, i, message, draw), reason])
            thoughts = Thoughts(
                reflect=_reflect(told, i, draw) if "reflect" in blocks else None,
                introspect=introspect if "introspect" in blocks else None,
                reason=reason if "reason" in blocks else None,
            )
            messages[i] = msgspec.structs.replace(message, thoughts=thoughts)
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _aim_and_reason(told: Told, at: int, message: AssistantMessage, draw: Draw) -> tuple[str, str]:
    """Return what the assistant means to do with a message ("I have to ask for the city"), and why."""
    unusual_answer, missing_argument = told.otherwise.get(at), told.asks.get(at)
    if missing_argument is not None:
        reason = (
            unusual_answer if unusual_answer == "not_accepted" else "to_be_asked" if told.because.get(at) else "missing"
        )
        return _one_of("meaning_to_ask", draw).format(missing_argument), _one_of(reason, draw).format(missing_argument)
    if unusual_answer is not None and not message.tool_calls:
        return _one_of(_AIMS.get(unusual_answer, "meaning_to_own_up"), draw), _one_of(unusual_answer, draw)
    return _introspect(told.conversation.messages, at, draw), _reason(told, message, draw)


def _rules(told: Told, at: int, message: AssistantMessage, draw: Draw) -> list[str]:
    """Return the rules of the system message that a message follows, with the values that decide."""
    sentences = []
    for rule in told.because.get(at, ()):
        values = " and ".join([f"{name} is {shown(value)}" for name, value in rule.seen.items()])
        sentences.append(_one_of("a_rule", draw).format(rule.text) + (f" Here {values}." if values else ""))
    return [*sentences, _one_of("done_first", draw)] if sentences and message.tool_calls else sentences


_AIMS = {"over": "meaning_to_end", "ruled_out": "meaning_to_refuse", "unmoved": "meaning_to_refuse"}
"""Which texts say what it means to do then."""


def _reflect(told: Told, at: int, draw: Draw) -> str | None:
    """Return a thought about the user; only for the first message after the user's."""
    messages = told.conversation.messages
    request = messages[at - 1] if at else None
    if not isinstance(request, UserMessage):
        return None
    answer = messages[at]
    calls = len(answer.tool_calls) if isinstance(answer, AssistantMessage) else 0
    what = "asks a question" if "?" in request.content else "makes a request"
    beginning = f"The user {what}; I can begin with {_counted(calls)}." if calls else _TEXTS["open"]
    return " ".join(
        filter(
            None,
            [
                told.seen.get(at - 1, beginning),
                told.reasons.get(at - 1),
                _one_of(
                    "politely" if _POLITE.search(request.content) else "lively" if "!" in request.content else "plain",
                    draw,
                ),
            ],
        )
    )


def _introspect(messages: Sequence[Any], at: int, draw: Draw) -> str:
    """Return what the assistant means to do with a message: answer, or make calls, as the first or a further step of its turn."""
    calls = messages[at].tool_calls
    size = len(calls)
    if not size:
        return _one_of("meaning_to_answer", draw)
    steps_before = _steps_before(messages, at)
    if not steps_before:
        return _one_of("meaning_to_call", draw).format(calls=_counted(size))
    ordinal = ORDINAL_WORDS[steps_before + 1] if steps_before < 10 else ordinal_digits(steps_before + 1)
    return _one_of("meaning_to_go_on", draw).format(calls=_counted(size), nth=ordinal)


def _steps_before(messages: Sequence[Any], at: int) -> int:
    """Return how many messages of the same turn have made calls before this one."""
    asked = max((i for i in range(at) if isinstance(messages[i], UserMessage)), default=0)
    return sum(isinstance(message, AssistantMessage) and bool(message.tool_calls) for message in messages[asked:at])


def _reason(told: Told, message: AssistantMessage, draw: Draw) -> str:
    """Return why a message makes its calls: what their tools are for, and where each value comes from."""
    claims, conversation, calls = told.claims, told.conversation, message.tool_calls
    if not calls:
        return _one_of("done", draw)
    sentences = [_why(name, calls, told.toolbox) for name in dict.fromkeys(call.name for call in calls)]
    if any(claim.source == "result" for call in calls for claim in claims.get(call.id, ())):
        sentences.append(_one_of("now_known", draw))
    if len(calls) > 1:
        sentences.append(_one_of("at_once", draw))
    if any(_made_before(call, message, conversation) for call in calls):
        sentences.append(_one_of("once_more", draw))
    origins = [
        [origin_of(claim, call, conversation, told.asked_at) for claim in claims.get(call.id, ())] or as_they_are(call)
        for call in calls
    ]
    return " ".join([*sentences, *values_of(origins)])


def _made_before(call: ToolCall, message: AssistantMessage, conversation: Conversation) -> bool:
    """Whether the same call stands in an earlier message, where it failed."""
    for earlier in conversation.messages:
        if earlier is message:
            return False
        calls = earlier.tool_calls if isinstance(earlier, AssistantMessage) else ()
        if any((call_before.name, call_before.arguments) == (call.name, call.arguments) for call_before in calls):
            return True
    return False


def _why(name: str, calls: Sequence[ToolCall], toolbox: Toolbox) -> str:
    """Return what a tool is for: "To find a customer's orders, I use find_orders, in two calls."."""
    times = sum(call.name == name for call in calls)
    often = f", in {_counted(times)}" if times > 1 else ""
    spec = toolbox.get(name)
    purpose = ((spec.tool.description if spec else None) or "").split(". ")[0].split("\n")[0].strip().rstrip(".")
    if _IMPERATIVE.fullmatch(purpose) and purpose.split()[0] not in _TEXTS["no_verbs"]:
        return f"To {purpose[0].lower()}{purpose[1:]}, I use {name}{often}."
    return f"The tool for this is {name} ({purpose}){often}." if purpose else f"The tool for this is {name}{often}."


def _counted(number: int) -> str:
    """Return a number of calls in words: "no calls", "one call", "12 calls"."""
    words = "no" if number == 0 else SPELLED[number] if number <= 10 else str(number)
    return f"{words} call" if number == 1 else f"{words} calls"
