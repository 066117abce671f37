"""Where values come from, in words: the user's, an earlier result, the schema."""

import json
from typing import Any

from generator.core.claims import Claim
from generator.core.conversation import Conversation, ToolCall, ToolMessage
from generator.core.exact_json import loads
from generator.core.pointers import escape, resolve, split
from generator.dialogue.wording.phrases.value_wording import what_follows


def as_they_are(call: ToolCall) -> list[str]:
    """Return the arguments of a call about which nothing is claimed: it is made again, or made wrong on purpose."""
    return [f"{name} is {shown(value)}" for name, value in call.arguments.items()]


def values_of(origins: list[list[str]]) -> list[str]:
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


def origin_of(claim: Claim, call: ToolCall, conversation: Conversation, asked_at: dict[str, int]) -> str:
    """Return where one value comes from: `date is 2026-03-14 ("next Friday")`."""
    value = resolve(call.arguments, claim.pointer)
    written = shown(value)
    said = f"{named(claim.pointer)} is {written}"
    if claim.source == "default":
        return f"{said}, as the schema has it"
    words = _words(claim, conversation, asked_at)
    if claim.source == "result":
        compared = _compared(claim, conversation)
        why = "; ".join(filter(None, [f'"{words}"' if words else "", compared]))
        return f"{said}, from the result of {_called(claim, conversation)}" + (f" ({why})" if why else "")
    return said if words is None or words == written else f'{said} ("{words}")'


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
    others = list(map(shown, values[:_MOST_COMPARED]))
    more = ["more"] if len(values) > _MOST_COMPARED else []
    listed = "".join(map("".join, zip([*others, *more], what_follows(len(others) + len(more)), strict=True)))
    return f"{'lowest' if extreme == 'min' else 'highest'} {named('/' + field)}: {shown(taken)}, against {listed}"


_MOST_COMPARED = 5


def found_in(result: ToolMessage | None, pointer: str) -> Any:
    """Return what a pointer leads to in a result; None where there is nothing."""
    try:
        return None if result is None else resolve(loads(result.content), pointer)
    except (LookupError, ValueError):
        return None


def _words(claim: Claim, conversation: Conversation, asked_at: dict[str, int]) -> str | None:
    """Return the words that a claim is about; for a value from a result, those that describe it in the request for the call."""
    message = asked_at.get(claim.call_id) if claim.source == "result" else claim.message
    message, start, end = claim.referred or (message, claim.start, claim.end)
    if start is None or end is None:
        return None
    said = conversation.messages[message].content if message is not None else None
    return without_quotes(said[start:end]) if said else None


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
