"""What the assistant thinks before it calls or answers: the three thought blocks of OpenChatML, section 4.

Everything is said from the finished conversation and its proof, so that nothing is made up. `reason` says why these
tools, what may be done at once, and where each value comes from: the user's words, an earlier result, or the schema.
`reflect` says what can be seen of the user: how many calls the request takes, and its tone as far as the words show
it. `introspect` says what the assistant means to do next.
"""

import json
import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

import msgspec

from generator.claims import Claim, Proof
from generator.conversation import AssistantMessage, Conversation, Thoughts, ToolCall, UserMessage
from generator.exact_json import loads
from generator.pointers import escape, resolve, split
from generator.productions import spoken_name
from generator.seeds import Draw
from generator.toolbox import Toolbox
from generator.wording.coordination import what_follows
from generator.yaml_values import own_data

_POLITE = re.compile(r"\b(?:please|thanks|thank you|could you|would you|can you|kindly)\b", re.IGNORECASE)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_IMPERATIVE = re.compile(r"(?:[A-Z][a-z]*[a-rt-z]) (?:.*)")
_NO_VERBS = {"A", "An", "The", "This", "All", "Current", "Information", "Tool", "Function", "For", "Given", "List"}


@cache
def _texts() -> dict[str, list[str]]:
    """Return the texts of `thoughts.yaml`."""
    texts: dict[str, list[str]] = own_data(__file__)
    return texts


def _one_of(key: str, draw: Draw) -> str:
    """Return one of the texts under a key."""
    return draw.choice(_texts()[key])


def think(
    conversation: Conversation, proof: Proof, toolbox: Toolbox, blocks: Sequence[str], draw: Draw
) -> Conversation:
    """Return the conversation with thoughts before each assistant message.

    Args:
        conversation: A finished conversation.
        proof: Where its values come from.
        toolbox: The tools that are called, for their descriptions.
        blocks: Which of `reflect`, `introspect` and `reason` to write.
        draw: The row's stream; it is drawn from only here.
    """
    claims: dict[str, list[Claim]] = {}
    for claim in proof.arguments:
        claims.setdefault(claim.call_id, []).append(claim)
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    asks = {ask.message: spoken_name(split(ask.pointer)[-1]) or "value" for ask in proof.asks}
    messages = list(conversation.messages)
    again = _made_again(proof, claims)
    steps = {wish.call_id for wish in proof.wishes if wish.unblocks is not None}
    otherwise = {tell.message: _REASONS[tell.how] for tell in proof.tells if tell.how in _REASONS}
    refused = {tell.message for tell in proof.tells if tell.how == "refused"}
    several = {tell.message for tell in proof.tells if tell.how == "several"}
    seen = _seen_of_the_user(proof)
    for i, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.train:
            missing = asks.get(i)
            if i in several:
                introspect, reason = _one_of("meaning_to_let_choose", draw), _one_of("several_fit", draw)
            elif i in refused and missing is not None:
                introspect, reason = (
                    _one_of("meaning_to_ask", draw).format(missing),
                    _one_of("not_accepted", draw).format(missing),
                )
            elif i in otherwise and missing is None:
                introspect, reason = _one_of("meaning_to_own_up", draw), _one_of(otherwise[i], draw)
            elif missing is None:
                introspect = _introspect(messages, i, draw, again.keys() - steps)
                reason = _reason(message, claims, conversation, asked_at, toolbox, draw, again)
            else:
                introspect, reason = (
                    _one_of("meaning_to_ask", draw).format(missing),
                    _one_of("missing", draw).format(missing),
                )
            thoughts = Thoughts(
                reflect=_reflect(messages, i, draw, seen) if "reflect" in blocks else None,
                introspect=introspect if "introspect" in blocks else None,
                reason=reason if "reason" in blocks else None,
            )
            messages[i] = msgspec.structs.replace(message, thoughts=thoughts)
    return msgspec.structs.replace(conversation, messages=tuple(messages))


_REASONS = {
    "failed": "not_done",
    "empty": "nothing_found",
    "proposed": "asking_leave",
    "alternative": "offering",
    "offered": "offering",
    "unblocking": "offering_a_step",
    "not_done": "not_let",
    "untrue": "not_fulfilled",
}
"""What the assistant says other than the result of a call that succeeded → the texts that say why."""


_REPLIES = {
    "yes": "The user agrees.",
    "no": "The user does not agree.",
    "unsure": "That is no clear yes.",
    "insists": "The user does not want to accept the refusal.",
    "asks_for": "The user wants somebody else to take over.",
    "asks_of": "The user asks for something else about it.",
}
"""What the user says other than a request → what can be seen of them."""


def _seen_of_the_user(proof: Proof) -> dict[int, str]:
    """Return, by message, what can be seen of the user in messages that are more than a request."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    found = {
        claim.message: "The user wants something looked up, and something done if the result is so."
        for claim in proof.conditions
    }
    for tell in proof.tells:
        if tell.how == "proposed" and tell.call_id in asked_at:
            found[asked_at[tell.call_id]] = "The user wants something to be changed."
        elif tell.how in _REPLIES:
            found[tell.message] = _REPLIES[tell.how]
    return found


def _made_again(proof: Proof, claims: dict[str, list[Claim]]) -> dict[str, str]:
    """Return, by call id, which texts say why a call is made again, or so that another one can be.

    What is claimed of the first call is claimed of the repeated one, too.
    """
    found: dict[str, str] = {}
    changed = {tell.call_id for tell in proof.tells if tell.how in ("alternative", "fallback", "offered")}
    unblocked = {wish.unblocks for wish in proof.wishes}
    for wish in proof.wishes:
        if wish.unblocks is not None:
            found[wish.call_id] = "ending_a_state"
        if wish.mends is not None:
            is_same = wish.call_id not in claims
            usual = "same_again" if is_same else "right_again"
            found[wish.call_id] = (
                "otherwise_again" if wish.mends in changed else "unblocked" if wish.mends in unblocked else usual
            )
            if is_same:
                claims[wish.call_id] = claims.get(wish.mends, [])
    return found


def _reflect(messages: Sequence[Any], at: int, draw: Draw, seen: dict[int, str]) -> str | None:
    """Return a thought about the user; only for the first message after the user's."""
    asked = messages[at - 1] if at else None
    if not isinstance(asked, UserMessage):
        return None
    if at - 1 in seen:
        return f"{seen[at - 1]} {_tone(asked.content, draw)}"
    calls = len(messages[at].tool_calls)
    if not calls:
        return f"The user makes a request that leaves something open. {_tone(asked.content, draw)}"
    what = "asks a question" if "?" in asked.content else "makes a request"
    return f"The user {what}; I can begin with {_counted(calls)}. {_tone(asked.content, draw)}"


def _tone(content: str, draw: Draw) -> str:
    return _one_of("politely" if _POLITE.search(content) else "lively" if "!" in content else "plain", draw)


def _introspect(messages: Sequence[Any], at: int, draw: Draw, again: Collection[str]) -> str:
    calls = messages[at].tool_calls
    size = len(calls)
    if not size:
        return _one_of("meaning_to_answer", draw)
    if calls[0].id in again:
        return _one_of("meaning_to_try_again", draw)
    nth = _steps_before(messages, at)
    if not nth:
        return _one_of("meaning_to_call", draw).format(calls=_counted(size))
    nth_said = _PLACES[nth] if nth < len(_PLACES) else f"{nth + 1}th"
    return _one_of("meaning_to_go_on", draw).format(calls=_counted(size), nth=nth_said)


def _steps_before(messages: Sequence[Any], at: int) -> int:
    """Return how many messages of the same turn have made calls before this one."""
    asked = max((i for i in range(at) if isinstance(messages[i], UserMessage)), default=0)
    return sum(isinstance(message, AssistantMessage) and bool(message.tool_calls) for message in messages[asked:at])


def _reason(
    message: AssistantMessage,
    claims: dict[str, list[Claim]],
    conversation: Conversation,
    asked_at: dict[str, int],
    toolbox: Toolbox,
    draw: Draw,
    again: dict[str, str],
) -> str:
    calls = message.tool_calls
    if not calls:
        return _one_of("done", draw)
    sentences = [_one_of(again[call.id], draw) for call in calls if call.id in again]
    sentences += [_why(name, calls, toolbox) for name in dict.fromkeys(call.name for call in calls)]
    if any(claim.source == "result" for call in calls for claim in claims.get(call.id, ())):
        sentences.append(_one_of("now_known", draw))
    if len(calls) > 1:
        sentences.append(_one_of("at_once", draw))
    if any(_made_before(call, message, conversation) for call in calls):
        sentences.append(_one_of("once_more", draw))
    origins = [
        [_origin(claim, call, conversation, asked_at) for claim in claims.get(call.id, ())] or _as_they_are(call)
        for call in calls
    ]
    return " ".join([*sentences, *_values(origins)])


def _made_before(call: ToolCall, message: AssistantMessage, conversation: Conversation) -> bool:
    """Whether the same call stands in an earlier message, where it failed."""
    for earlier in conversation.messages:
        if earlier is message:
            return False
        calls = earlier.tool_calls if isinstance(earlier, AssistantMessage) else ()
        if any((one.name, one.arguments) == (call.name, call.arguments) for one in calls):
            return True
    return False


def _as_they_are(call: ToolCall) -> list[str]:
    """Return the arguments of a call about which nothing is claimed: it is made again, or made wrong on purpose."""
    return [f"{name} is {_shown(value)}" for name, value in call.arguments.items()]


def _why(name: str, calls: Sequence[ToolCall], toolbox: Toolbox) -> str:
    """Return what a tool is for: "To find a customer's orders, I use find_orders, in two calls."."""
    times = sum(call.name == name for call in calls)
    often = f", in {_counted(times)}" if times > 1 else ""
    spec = toolbox.get(name)
    purpose = ((spec.tool.description if spec else None) or "").split(". ")[0].split("\n")[0].strip().rstrip(".")
    if _IMPERATIVE.fullmatch(purpose) and purpose.split()[0] not in _NO_VERBS:
        return f"To {purpose[0].lower()}{purpose[1:]}, I use {name}{often}."
    return f"The tool for this is {name} ({purpose}){often}." if purpose else f"The tool for this is {name}{often}."


def _values(origins: list[list[str]]) -> list[str]:
    """Return sentences on where the values of some calls come from; what all of them share is said once."""
    if len(origins) == 1:
        return [_sentence(origins[0])] if origins[0] else []
    shared = [origin for origin in origins[0] if all(origin in own for own in origins[1:])]
    said = [f"In all of them {'; '.join(shared)}."] if shared else []
    for number, own in enumerate(origins, 1):
        rest = [origin for origin in own if origin not in shared]
        if rest:
            said.append(f"Call {number}: {'; '.join(rest)}.")
    return said


def _sentence(origins: list[str]) -> str:
    return f"{'; '.join(origins)}."


def _origin(claim: Claim, call: ToolCall, conversation: Conversation, asked_at: dict[str, int]) -> str:
    """Return where one value comes from: `date is 2026-03-14 ("next Friday")`."""
    value = resolve(call.arguments, claim.pointer)
    shown = _shown(value)
    said = f"{_named(claim.pointer)} is {shown}"
    if claim.source == "default":
        return f"{said}, as the schema has it"
    words = _words(claim, conversation, asked_at)
    if claim.source == "result":
        compared = _compared(claim, conversation)
        why = "; ".join(filter(None, [f'"{words}"' if words else "", compared]))
        return f"{said}, from the result of {_called(claim, conversation)}" + (f" ({why})" if why else "")
    return said if words is None or words == shown else f'{said} ("{words}")'


def _compared(claim: Claim, conversation: Conversation) -> str:
    """Return what a description such as "the cheapest one" compares: `lowest total: 83, against 136 and 164`."""
    extreme, _, field = (claim.pick or "").partition(" ")
    path = split(claim.result_pointer or "")
    place = next((at for at, step in enumerate(path) if step.isdecimal()), None)
    if extreme not in ("min", "max") or place is None:
        return ""
    try:
        found = loads(conversation.messages[claim.message or 0].content or "")
        values = [resolve(element, field) for element in resolve(found, "/".join(map(escape, path[:place])))]
    except (LookupError, ValueError):
        return ""
    taken = values.pop(int(path[place]))
    others = list(map(_shown, values[:_MOST_COMPARED]))
    more = ["more"] if len(values) > _MOST_COMPARED else []
    listed = "".join(map("".join, zip([*others, *more], what_follows(len(others) + len(more)), strict=True)))
    return f"{'lowest' if extreme == 'min' else 'highest'} {_named('/' + field)}: {_shown(taken)}, against {listed}"


_MOST_COMPARED = 5


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _named(pointer: str) -> str:
    """Return a pointer as people write it: `stops[0].city` for `/stops/0/city`."""
    first, *rest = split(pointer)
    return first + "".join([f"[{step}]" if step.isdecimal() else f".{step}" for step in rest])


def _words(claim: Claim, conversation: Conversation, asked_at: dict[str, int]) -> str | None:
    """Return the words that a claim is about; for a value from a result, those that describe it in the request for the call."""
    message = asked_at.get(claim.call_id) if claim.source == "result" else claim.message
    message, start, end = claim.referred or (message, claim.start, claim.end)
    if start is None or end is None:
        return None
    said = conversation.messages[message].content if message is not None else None
    return said[start:end] if said else None


def _called(claim: Claim, conversation: Conversation) -> str:
    """Return the tool whose result a claim is about."""
    answer = conversation.messages[claim.message or 0]
    return answer.name or "an earlier call"


def _counted(number: int) -> str:
    return f"{_amount(number)} call" if number == 1 else f"{_amount(number)} calls"


def _amount(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
