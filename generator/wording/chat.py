"""Questions and remarks that need no call, and the replies to them."""

import re
from typing import Any, NamedTuple

from generator.no_call.abilities import can_of
from generator.no_call.talk import as_list_in_words, chats, from_user, needs_of, slot_words, talk
from generator.planning import Chat
from generator.seeds import Draw
from generator.toolbox import ToolSpec
from generator.wording.phrases.phrasebook import Book
from generator.wording.verbalizers import VERBALIZERS, enum_forms
from generator.wording.voice import Voice

_PLACE = re.compile(r"\{(\w+)\}")
SaidPlaces = list[tuple[str, int, int]]
"""(name, start, end) of each value that a text says."""


class Exchange(NamedTuple):
    """A question or remark and its reply, each with the values that it says."""

    say: str
    said: SaidPlaces
    reply: str
    replied: SaidPlaces


def word_chat(chat: Chat, books: list[Book], told: Any, draw: Draw, voice: Voice, answering: Voice) -> Exchange:
    """Return a question or remark and the reply to it, in words.

    Args:
        chat: What it is about.
        books: Those of its tools.
        told: The value of the argument or result that is told again, if one is.
        draw: The row's stream.
        voice: The user's.
        answering: The assistant's.
    """
    says, replies = chats(chat.kind)
    specs = [book.spec for book in books]
    texts = {**_of_tools(chat, specs, draw), **_of_values(chat, voice, answering)}
    if books and chat.kind == "options":
        options = as_list_in_words(draw.shuffled(_spoken_options(books[0], chat.slot)), "or")
        texts |= {"options": options, "Options": options[:1].upper() + options[1:]}
    if chat.slot:
        texts["slot"] = slot_words(chat.slot)
    if told is not None:
        texts["value"] = str(told)
    say, said = _filled(draw.choice(says), texts)
    reply, replied = _filled(draw.choice(replies), texts)
    return Exchange(say, said, reply, replied)


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


def _of_tools(chat: Chat, specs: list[ToolSpec], draw: Draw) -> dict[str, str]:
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
            texts[name] = talk()["weekdays"][value]
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
