"""What the assistant thinks before it calls or answers: the three thought blocks of OpenChatML, section 4.

Everything is said from the finished conversation and its proof, so that nothing is made up. `reason` says why these
tools, what may be done at once, and where each value comes from: the user's words, an earlier result, or the schema.
`reflect` says what can be seen of the user: how many calls the request takes, and its tone as far as the words show
it. `introspect` says what the assistant means to do next.
"""

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from generator.conversation import (
    AssistantMessage,
    Claim,
    Conversation,
    Proof,
    Thoughts,
    ToolCall,
    UserMessage,
)
from generator.pointers import escape, resolve, split
from generator.seeds import Draw
from generator.toolbox import Toolbox
from generator.wording.coordination import what_follows
from generator.wording.phrases.slots import spoken_name

_POLITE = re.compile(r"\b(?:please|thanks|thank you|could you|would you|can you|kindly)\b", re.IGNORECASE)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_IMPERATIVE = re.compile(r"(?:[A-Z][a-z]*[a-rt-z]) (?:.*)")
_NO_VERBS = {"A", "An", "The", "This", "All", "Current", "Information", "Tool", "Function", "For", "Given", "List"}

_ONCE_MORE = (
    "The call did not go through, so I make it once more.",
    "It failed the first time; I try again with the same values.",
)
_AT_ONCE = (
    "None of them needs the result of another, so I make them at once.",
    "They do not depend on each other and can go together.",
    "They are independent, so there is no need to wait between them.",
)
_NOW_KNOWN = (
    "What this step needs has come back now.",
    "The earlier result holds what is needed here.",
    "With the earlier result this can be done now.",
)
_DONE = (
    "The results answer the request, so I can tell the user now.",
    "Everything that was asked for has come back; what is left is to say it.",
    "No more calls are needed: I answer with what the results say.",
)
_MISSING = (
    "Nothing says the {} yet, and the call needs it, so I ask before I call.",
    "The {} is missing. I cannot guess it, so I ask for it.",
    "For this I need the {}, which has not been given; I ask for it first.",
)
_SAME_AGAIN = (
    "The call failed for a reason that may pass, so I make the same call once more.",
    "The error may be gone by now: I try the same call a second time.",
)
_RIGHT_AGAIN = (
    "The error says what was wrong with the first call, so I make it again with the right value.",
    "The first call was refused for one of its arguments; this time it is right.",
)
_MEANING_TO_TRY_AGAIN = (
    "I mean to try once more and to say what comes of it.",
    "I want to give it another try before I report.",
)
_ASKING_LEAVE = (
    "Nothing may be changed without a yes, so I say what I would do and ask first.",
    "I have to ask before I change anything: I say what the call would do and wait for the answer.",
)
_OFFERING = (
    "It did not work out as asked, but something close to it may. I say so and ask before I change what the user wanted.",
    "There is another way, which the user has not asked for, so I offer it and wait for the answer.",
)
_OFFERING_A_STEP = (
    "The error names a state that I could change, but nobody has asked me to. I say what stands in the way and ask first.",
    "What was asked is possible after another step, and that changes something, so I need a yes for it.",
)
_ENDING_A_STATE = (
    "A state stands in the way, and the user allows the step that ends it, so I make that step first.",
    "The call cannot go through as things are; I have leave to change that, so I do it now.",
)
_UNBLOCKED = (
    "What stood in the way is gone, so I make the same call again.",
    "The state has changed, so the call that was refused can be made now.",
)
_OTHERWISE_AGAIN = (
    "The first call did not do, and the user allows this change, so I make it with that.",
    "The user has agreed to do without what stood in the way, so I make the call again like that.",
)
_NOT_LET = (
    "The user does not want it done, so I make no call.",
    "There is no yes, so nothing is changed.",
)
_NOT_FULFILLED = (
    "The result does not fulfil the user's condition, so I do not make the second call.",
    "What the user made it depend on is not the case, so there is nothing more to do.",
)
_NOT_DONE = (
    "A call failed, and I cannot change that, so I say so and give the reason.",
    "Not everything went well. I tell the user what failed and why.",
)
_NOTHING_FOUND = (
    "The search found nothing. I say so with what I looked for, and make nothing up.",
    "The list that came back is empty, so there is nothing to report but that.",
)
_MEANING_TO_OWN_UP = (
    "I mean to say plainly how things stand and to make nothing up.",
    "I want to be clear about what is done and what is not.",
)
_SEVERAL_FIT = (
    "More than one of them fits, and nothing says which is meant, so I tell them apart and ask.",
    "The list does not settle which one it should be. I say how they differ and let the user choose.",
    "I must not take just any of these, so I ask which one is meant.",
)
_NOT_ACCEPTED = (
    "The {} that was given is none that the tool accepts, so a call would fail. I say what is possible and ask.",
    "The tool has limits for the {}, and this is beyond them. I must not change it in silence, so I ask.",
)
_MEANING_TO_LET_CHOOSE = (
    "I mean to make the call when I know which one it is about.",
    "I want the user to choose before anything is done.",
)
_MEANING_TO_ASK = (
    "I mean to ask for the {} and to make the call when I have it.",
    "I want to know the {} before I do anything.",
)
_PLAIN = ("They come straight to the point.", "The tone is plain.", "They say what they need and no more.")
_POLITELY = ("They ask politely.", "The tone is friendly.", "They are polite about it.")
_LIVELY = ("They sound lively.", "There is some energy in how they put it.")
_MEANING_TO_CALL = (
    "I mean to make {calls} now and to look at what comes back.",
    "I want to do just what was asked, with the values as they were given: {calls}.",
    "My aim is to begin with {calls} and to add nothing of my own.",
)
_MEANING_TO_GO_ON = (
    "I mean to make {calls} now, as the {nth} step.",
    "This is the {nth} step: {calls}, with what is known by now.",
    "My aim in the {nth} step is to make {calls} and to add nothing of my own.",
)
_MEANING_TO_ANSWER = (
    "I mean to report the results as they are.",
    "I want to be brief and to leave out what was not asked for.",
    "My aim is to answer from the results alone.",
)


def think(conversation: Conversation, proof: Proof, toolbox: Toolbox, blocks: Sequence[str], draw: Draw) -> Conversation:
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
                introspect, reason = draw.choice(_MEANING_TO_LET_CHOOSE), draw.choice(_SEVERAL_FIT)
            elif i in refused and missing is not None:
                introspect, reason = draw.choice(_MEANING_TO_ASK).format(missing), draw.choice(_NOT_ACCEPTED).format(missing)
            elif i in otherwise and missing is None:
                introspect, reason = draw.choice(_MEANING_TO_OWN_UP), draw.choice(otherwise[i])
            elif missing is None:
                introspect = _introspect(messages, i, draw, again.keys() - steps)
                reason = _reason(message, claims, conversation, asked_at, toolbox, draw, again)
            else:
                introspect, reason = draw.choice(_MEANING_TO_ASK).format(missing), draw.choice(_MISSING).format(missing)
            thoughts = Thoughts(
                reflect=_reflect(messages, i, draw, seen) if "reflect" in blocks else None,
                introspect=introspect if "introspect" in blocks else None,
                reason=reason if "reason" in blocks else None,
            )
            messages[i] = msgspec.structs.replace(message, thoughts=thoughts)
    return msgspec.structs.replace(conversation, messages=tuple(messages))


_REASONS = {"failed": _NOT_DONE, "empty": _NOTHING_FOUND, "proposed": _ASKING_LEAVE, "alternative": _OFFERING, "offered": _OFFERING, "unblocking": _OFFERING_A_STEP, "not_done": _NOT_LET, "untrue": _NOT_FULFILLED}
"""Why the assistant says something other than the result of a call that succeeded."""


def _seen_of_the_user(proof: Proof) -> dict[int, str]:
    """Return, by message, what can be seen of the user in messages that are more than a request."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    found = {claim.message: "The user wants something looked up, and something done if the result is so." for claim in proof.conditions}
    for tell in proof.tells:
        if tell.how == "proposed" and tell.call_id in asked_at:
            found[asked_at[tell.call_id]] = "The user wants something to be changed."
        elif tell.how in {"yes", "no"}:
            found[tell.message] = "The user agrees." if tell.how == "yes" else "The user does not agree."
    return found


def _made_again(proof: Proof, claims: dict[str, list[Claim]]) -> dict[str, tuple[str, ...]]:
    """Return, by call id, why a call is made again, or so that another one can be. What is claimed of the first call is claimed of the repeated one, too."""
    found: dict[str, tuple[str, ...]] = {}
    changed = {tell.call_id for tell in proof.tells if tell.how in ("alternative", "fallback", "offered")}
    unblocked = {wish.unblocks for wish in proof.wishes}
    for wish in proof.wishes:
        if wish.unblocks is not None:
            found[wish.call_id] = _ENDING_A_STATE
        if wish.mends is not None:
            is_same = wish.call_id not in claims
            found[wish.call_id] = _OTHERWISE_AGAIN if wish.mends in changed else _UNBLOCKED if wish.mends in unblocked else _SAME_AGAIN if is_same else _RIGHT_AGAIN
            if is_same:
                claims[wish.call_id] = claims.get(wish.mends, [])
    return found


def _reflect(messages: Sequence[Any], at: int, draw: Draw, seen: dict[int, str]) -> str | None:
    """Return a thought about the user; only for the first message after the user's."""
    asked = messages[at - 1] if at else None
    if not isinstance(asked, UserMessage):
        return None
    if at - 1 in seen:
        return f"{seen[at - 1]} {draw.choice(_tone(asked.content))}"
    calls = len(messages[at].tool_calls)
    if not calls:
        return f"The user makes a request that leaves something open. {draw.choice(_tone(asked.content))}"
    what = "asks a question" if "?" in asked.content else "makes a request"
    return f"The user {what}; I can begin with {_counted(calls)}. {draw.choice(_tone(asked.content))}"


def _tone(content: str) -> tuple[str, ...]:
    return _POLITELY if _POLITE.search(content) else _LIVELY if "!" in content else _PLAIN


def _introspect(
    messages: Sequence[Any], at: int, draw: Draw, again: Collection[str]
) -> str:
    calls = messages[at].tool_calls
    size = len(calls)
    if not size:
        return draw.choice(_MEANING_TO_ANSWER)
    if calls[0].id in again:
        return draw.choice(_MEANING_TO_TRY_AGAIN)
    nth = _steps_before(messages, at)
    if not nth:
        return draw.choice(_MEANING_TO_CALL).format(calls=_counted(size))
    nth_said = _PLACES[nth] if nth < len(_PLACES) else f"{nth + 1}th"
    return draw.choice(_MEANING_TO_GO_ON).format(calls=_counted(size), nth=nth_said)


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
    again: dict[str, tuple[str, ...]],
) -> str:
    calls = message.tool_calls
    if not calls:
        return draw.choice(_DONE)
    sentences = [draw.choice(again[call.id]) for call in calls if call.id in again]
    sentences += [_why(name, calls, toolbox) for name in dict.fromkeys(call.name for call in calls)]
    if any(claim.source == "result" for call in calls for claim in claims.get(call.id, ())):
        sentences.append(draw.choice(_NOW_KNOWN))
    if len(calls) > 1:
        sentences.append(draw.choice(_AT_ONCE))
    if any(_made_before(call, message, conversation) for call in calls):
        sentences.append(draw.choice(_ONCE_MORE))
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
        found = json.loads(conversation.messages[claim.message or 0].content or "")
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
