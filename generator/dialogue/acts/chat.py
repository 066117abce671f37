"""Chat: a question or remark of the user that needs no call, and a reply that holds only what came before it.

The texts are those of `talk.yaml`. What is said in them by name is read back and held against the tools on offer, the stated day,
the numbers in the question, or the call whose argument or result is told once more.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import msgspec

from generator.core.claims import ChatClaim, ChatSpan
from generator.core.conversation import AssistantMessage, UserMessage
from generator.core.exact_json import same
from generator.core.planning import Chat, Say
from generator.core.pointers import resolve
from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.dialogue.no_call.abilities import can_of
from generator.dialogue.no_call.talk import (
    MOST_MENTIONED,
    MOST_TOLD,
    as_list_in_words,
    chats,
    from_user,
    needs_of,
    slot_words,
)
from generator.dialogue.no_call.talk import talk as texts_of_talk
from generator.dialogue.proof.ledger import Ledger
from generator.dialogue.values.read import READERS, SpanContext
from generator.dialogue.values.say import VERBALIZERS, enum_forms
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.phrasebook import Book
from generator.dialogue.wording.transcript import SaidPlaces, Transcript

_PLACE = re.compile(r"\{(\w+)\}")


# --- saying ---


def say(talk: Transcript, event: Say, chat: Chat) -> None:
    """Add a question or remark that needs no call, and keep the reply for its turn."""
    at, draw = len(talk.messages), talk.draw
    talk.said_at[event.id] = at
    if chat.wish is not None:  # the user asks once more for what was declined
        talk.messages.append(UserMessage(draw.choice(chats("retry")[0])))
        talk.chats.append(ChatClaim("retry", at, at + 1, call_id=talk.calls[chat.wish][0][0]))
        return
    tools, call_id, pointer, told = chat.tools, "", "", None
    if chat.kind == "abilities":
        tools = tuple([tool.name for tool in talk.log.offered])
        if len(tools) > MOST_TOLD:
            chat, tools = Chat(kind="some_abilities"), tools[:MOST_MENTIONED]
    if chat.of is not None:
        made = talk.made_at(chat.of)
        result = talk.step_at(chat.of[0]).outcomes[chat.of[1]].value
        call_id, pointer = made.id, "/" + chat.slot
        told = resolve(made.arguments if chat.kind == "recall" else result, pointer)
    texts = _texts(chat, [talk.books[name] for name in tools], told, talk)
    says, replies = chats(chat.kind)
    text, said = _filled(draw.choice(says), texts)
    reply, replied = _filled(draw.choice(replies), texts)
    spans = tuple([ChatSpan(name, at, start, end) for name, start, end in said])
    talk.replies[event.id] = (ChatClaim(chat.kind, at, at, tools, chat.slot, call_id, pointer, spans), reply, replied)
    talk.messages.append(UserMessage(text))


def reply(talk: Transcript, to: int) -> None:
    """Add the reply to a question or remark, from what came before."""
    claim, text, replied = talk.replies[to]
    begin, at = talk.add(text), len(talk.messages)
    spans = tuple([ChatSpan(name, at, begin + start, begin + end) for name, start, end in replied])
    talk.chats.append(msgspec.structs.replace(claim, reply=at, spans=claim.spans + spans))


def _texts(chat: Chat, books: list[Book], told: Any, talk: Transcript) -> dict[str, str]:
    """Return what is said in a question and its reply, by the name of the placeholder.

    Args:
        chat: What they are about.
        books: Those of its tools.
        told: The value of the argument or result that is told again, if one is.
        talk: The conversation so far.
    """
    specs = [book.spec for book in books]
    texts = {**_of_tools(specs, talk.draw), **_of_values(chat, talk.voice, talk.answering)}
    if books and chat.kind == "options":
        options = as_list_in_words(talk.draw.shuffled(_spoken_options(books[0], chat.slot)), "or")
        texts |= {"options": options, "Options": options[:1].upper() + options[1:]}
    if chat.slot:
        texts["slot"] = slot_words(chat.slot)
    if told is not None:
        texts["value"] = str(told)
    return texts


def _filled(template: str, texts: dict[str, str]) -> tuple[str, SaidPlaces]:
    """Return a template with its placeholders filled in, and where the values stand in the text."""
    found, end, places = "", 0, []
    for place in _PLACE.finditer(template):
        found += template[end : place.start()]
        words = texts[place[1]]
        places.append((place[1], len(found), len(found) + len(words)))
        found += words
        end = place.end()
    return found + template[end:], places


def _of_tools(specs: list[ToolSpec], draw: Draw) -> dict[str, str]:
    """Return the texts for the placeholders that are about tools, by name."""
    if not specs:
        return {}
    cans = [draw.choice(can_of(spec)) for spec in specs]
    return {
        "can": from_user(cans[0]),
        "reply_can": cans[0],
        "cans": as_list_in_words(cans),
        "needs": needs_of(specs[0]),
    }


def _of_values(chat: Chat, voice: Voice, answering: Voice) -> dict[str, str]:
    """Return the texts for numbers, dates and amounts by name; those of the user are in the user's voice."""
    texts: dict[str, str] = {}
    money = chat.values.get("money", "usd")
    for name, value in chat.values.items():
        if name in ("day", "date"):
            texts[name] = _say("date", value, voice if name == "day" else answering)
        elif name == "weekday":
            texts[name] = texts_of_talk()["weekdays"][value]
        elif name in ("amount", "one", "two", "each", "total", "part"):
            texts[name] = _say(money, value, answering)
        elif name != "money":
            texts[name] = _say("number", value, answering)
    return texts


def _say(verbalizer: str, value: Any, voice: Voice) -> str:
    words = VERBALIZERS[verbalizer].say(value, voice)
    assert words is not None, f"{verbalizer} cannot say {value!r}"
    return words


def _spoken_options(book: Book, slot: str) -> list[str]:
    """Return the usual spoken form of each value that an argument can take."""
    wording = book.slots[slot]
    return [forms[0] for forms in enum_forms(wording.schema["enum"], book.spec.phrases.synonyms.get(slot, ())).values()]


# --- checking ---

_MONEY = ("usd", "eur", "gbp")


class _Case(NamedTuple):
    """One question or remark with its reply, while it is checked."""

    claim: ChatClaim
    ledger: Ledger
    specs: list[ToolSpec]
    said: dict[str, str]
    """What the question says, by name of the placeholder."""
    replied: dict[str, str]


def check(ledger: Ledger) -> set[int]:
    """Check all questions and remarks; return the indexes of the messages that are read in doing so."""
    read: set[int] = set()
    for claim in ledger.proof.chats:
        why = _fault(claim, ledger)
        if why is None and not {claim.message, claim.reply} & read:
            read |= {claim.message} if claim.kind == "retry" else {claim.message, claim.reply}
        else:
            ledger.report("PF133", ("message", claim.reply), "{}", why or "it is claimed twice")
    return read


def _fault(claim: ChatClaim, ledger: Ledger) -> str | None:
    """Return why an exchange is not right, or None."""
    messages = ledger.conversation.messages
    if claim.kind not in texts_of_talk()["chat"]:
        return f"there is no kind {claim.kind!r}"
    if not 0 <= claim.message < claim.reply < len(messages) or claim.reply != claim.message + 1:
        return "the reply must follow the question"
    if claim.kind == "retry":
        return _retry_fault(claim, ledger)
    asking, replying = messages[claim.message], messages[claim.reply]
    if type(asking) is not UserMessage or type(replying) is not AssistantMessage or replying.tool_calls:
        return "a message of the user and a reply without calls are expected"
    return _said_fault(claim, ledger)


def _said_fault(claim: ChatClaim, ledger: Ledger) -> str | None:
    """Return why a question and its reply do not say what is right, or None."""
    offered = {tool.name for tool in ledger.conversation.tools}
    if not offered.issuperset(claim.tools) or not all(name in ledger.toolbox for name in claim.tools):
        return "a tool is spoken of that is not on offer"
    case = _Case(claim, ledger, [ledger.toolbox[name] for name in claim.tools], {}, {})
    for index, names, templates in zip((claim.message, claim.reply), case[3:], chats(claim.kind), strict=True):
        why = _read_text(claim, index, ledger, names, templates)
        if why is not None:
            return why
    try:
        return _KINDS[claim.kind](case) if claim.kind in _KINDS else None
    except (KeyError, LookupError, ValueError) as fault:
        return f"what is said cannot be read: {fault}"


def _retry_fault(claim: ChatClaim, ledger: Ledger) -> str | None:
    """Return why a message is not a request to try again what was declined, followed by the call; None if it is."""
    made = ledger.calls.get(claim.call_id)
    if type(ledger.conversation.messages[claim.message]) is not UserMessage or made is None or made.at != claim.reply:
        return "the user asks once more, and the call follows"
    declined = [
        other
        for name, other in ledger.calls.items()
        if ":" in name and made.asked_at == other.asked_at < other.at < claim.message
    ]
    if not any(other.spec is made.spec and same(other.arguments, made.arguments) for other in declined):
        return "what is asked for once more was not declined"
    text = ledger.contents[claim.message]
    return None if not ledger.phrases or text in chats("retry")[0] else f"{text!r} does not ask for it once more"


def _read_text(
    claim: ChatClaim, index: int, ledger: Ledger, names: dict[str, str], templates: tuple[str, ...]
) -> str | None:
    """Note what a text says by name of placeholder; return why it is not one of the texts of its kind, or None."""
    content = ledger.contents[index]
    spans = sorted([(span.start, span.end, span.name) for span in claim.spans if span.message == index])
    text, end = "", 0
    for start, stop, name in spans:
        if not end <= start < stop <= len(content):
            return "there is no such text"
        if names.setdefault(name, content[start:stop]) != content[start:stop]:
            return f"{name!r} is said in two ways"
        text += content[end:start] + f"{{{name}}}"
        end = stop
    text += content[end:]
    return None if not ledger.phrases or text in templates else f"{text!r} is no text of the kind {claim.kind!r}"


def _of_tool(case: _Case) -> str | None:
    """Check what is said of one tool: what it can do, what it needs."""
    (spec,) = case.specs
    cans = can_of(spec)
    if case.said["can"] not in [from_user(can) for can in cans]:
        return f"{case.said['can']!r} is not what {spec.name} does"
    if case.replied.get("reply_can", cans[0]) not in cans:
        return f"{case.replied['reply_can']!r} is not what {spec.name} does"
    if "needs" in case.replied and case.replied["needs"] != needs_of(spec):
        return f"{spec.name} needs {needs_of(spec)}"
    if case.claim.slot and any(side.get("slot", _slot(case)) != _slot(case) for side in (case.said, case.replied)):
        return f"{case.claim.slot} is spoken of"
    return None


def _slot(case: _Case) -> str:
    return slot_words(case.claim.slot)


def _abilities(case: _Case) -> str | None:
    offered = [tool.name for tool in case.ledger.conversation.tools]
    if case.claim.kind == "abilities" and sorted(case.claim.tools) != sorted(offered):
        return "not all tools on offer are told"
    if _joins(case.replied["cans"], [can_of(spec) for spec in case.specs]):
        return None
    return f"{case.replied['cans']!r} is not what the tools can do"


def _joins(text: str, cans: list[tuple[str, ...]]) -> bool:
    """Whether a text lists one phrase of each tool, in order."""
    if not cans:
        return False
    starts = {""}
    for place, own in enumerate(cans):
        link = "" if not place else " and " if place == len(cans) - 1 else ", "
        starts = {start + link + can for start in starts for can in own if text.startswith(start + link + can)}
    return text in starts


def _options(case: _Case) -> str | None:
    why = _of_tool(case)
    if why is not None:
        return why
    spec, slot = case.specs[0], case.claim.slot
    schema = (spec.tool.parameters or {})["properties"][slot]
    words = case.replied.get("options") or case.replied["Options"]
    parts = re.split(r", | or ", words)
    reading = SpanContext(None, schema, spec.phrases.synonyms.get(slot, ()))
    values = [READERS["enum"](part, reading) for part in parts]
    if sorted(map(str, values)) != sorted(map(str, schema["enum"])) or as_list_in_words(parts, "or") != words:
        return f"{words!r} are not the values of {slot}"
    return None


def _limits(case: _Case) -> str | None:
    schema = (case.specs[0].tool.parameters or {})["properties"][case.claim.slot]
    for name, key in (("low", "minimum"), ("high", "maximum")):
        if _number(case.replied[name]) != schema[key]:
            return f"{case.replied[name]!r} is not the {key} of {case.claim.slot}"
    return _of_tool(case)


def _number(text: str) -> Any:
    return READERS["number"](text, SpanContext(None, {"type": "number"}, ()))


def _day(text: str, today: date | None) -> date:
    return date.fromisoformat(READERS["date"](text, SpanContext(today, {"type": "string", "format": "date"}, ())))


def _days(case: _Case) -> str | None:
    today = case.ledger.today
    if today is None:
        return "no system message says what day it is"
    day = _day(case.said["day"], today) if "day" in case.said else today
    if "date" in case.replied and _day(case.replied["date"], today) != day:
        return f"{case.replied['date']!r} is another day"
    if "weekday" in case.replied and case.replied["weekday"] != texts_of_talk()["weekdays"][day.weekday()]:
        return f"{day} is no {case.replied['weekday']}"
    if "number" in case.replied and _number(case.replied["number"]) != (day - today).days:
        return f"{day} is {(day - today).days} days away"
    return None


def _sums(case: _Case) -> str | None:
    """Check sums: the amounts are added again, in one currency."""
    for money in _MONEY:
        read = READERS[money]
        reading = SpanContext(None, {"type": "number"}, ())
        try:
            amounts = {
                name: round(100 * float(read(text, reading)))
                for name, text in (*case.said.items(), *case.replied.items())
                if name not in ("people", "rate")
            }
        except ValueError:
            continue
        if case.claim.kind == "split":
            right = amounts["each"] * _number(case.said["people"]) == amounts["amount"]
        elif case.claim.kind == "total":
            right = amounts["one"] + amounts["two"] == amounts["total"]
        else:
            right = 100 * amounts["part"] == _number(case.said["rate"]) * amounts["amount"]
            right = right and case.replied.get("rate", case.said["rate"]) == case.said["rate"]
            right = right and case.replied.get("amount", case.said["amount"]) == case.said["amount"]
        return None if right else "the amount is wrong"
    return "the amounts cannot be read in one currency"


def _told_before(case: _Case) -> str | None:
    """Check that a value of an earlier call is told as it stands there."""
    made = case.ledger.calls.get(case.claim.call_id)
    if made is None or made.arguments is None or made.told_at >= case.claim.message:
        return "there is no such call before the question"
    value = resolve(made.arguments if case.claim.kind == "recall" else made.result, case.claim.pointer)
    if case.replied["value"] != value:
        return f"{case.replied['value']!r} is not {value!r}"
    words = slot_words(case.claim.pointer.removeprefix("/"))
    if any(side.get("slot", words) != words for side in (case.said, case.replied)):
        return f"the {words} is told"
    return None


_KINDS: dict[str, Callable[[_Case], str | None]] = {
    "abilities": _abilities,
    "some_abilities": _abilities,
    "can_you": _of_tool,
    "needs": _of_tool,
    "options": _options,
    "limits": _limits,
    "today": _days,
    "weekday_of": _days,
    "days_until": _days,
    "split": _sums,
    "total": _sums,
    "percent": _sums,
    "again": _told_before,
    "recall": _told_before,
}
