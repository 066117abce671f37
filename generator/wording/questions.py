"""Questions with which the assistant asks for a value that the user withheld, or that a tool does not accept."""

from typing import Any

from generator.connectives import (
    ASKING_LEADS,
    REFUSING_A_CHOICE,
    REFUSING_A_NUMBER,
    REFUSING_LESS,
    REFUSING_MORE,
    questions_about,
)
from generator.no_call.talk import as_list_in_words
from generator.pointers import schema_at
from generator.seeds import Draw
from generator.toolbox import ToolSpec
from generator.wording.phrases.phrasebook import Book
from generator.wording.phrases.slots import spoken_name
from generator.wording.verbalizers import VERBALIZERS, enum_forms
from generator.wording.voice import Voice


def word_question(spec: ToolSpec, slot: str, draw: Draw, leads: tuple[str, ...] = ASKING_LEADS) -> tuple[str, int]:
    """Return a question for the value of a slot, and the index at which it begins after its lead."""
    own = spec.phrases.ask.get(slot, ())
    lead = draw.choice(leads)
    if not own:
        schema = schema_at(spec.tool.parameters, slot) or {}
        own = questions_about(spoken_name(slot), is_number=schema.get("type") == "integer")
    question = draw.choice(own)
    return lead + question, len(lead)


def word_refusal(book: Book, slot: str, bad: Any, way: str, draw: Draw, voice: Voice) -> str:
    """Return a sentence that says what a tool accepts for a slot, after a value that it does not accept.

    Limits are said as the user has said the value, with the verbalizer `way`: "The most I can do is 4 hours.".
    """
    schema = schema_at(book.spec.tool.parameters, slot) or {}
    if "enum" in schema:
        forms = enum_forms(schema["enum"], book.spec.phrases.synonyms.get(slot, ()))
        return draw.choice(REFUSING_A_CHOICE).format(
            options=as_list_in_words([forms[value][0] for value in schema["enum"]], "or")
        )
    low, high = [
        VERBALIZERS[way].say(schema[key], voice) or VERBALIZERS["number"].say(schema[key], voice)
        for key in ("minimum", "maximum")
    ]
    more = REFUSING_MORE if bad > schema["maximum"] else REFUSING_LESS
    return draw.choice(REFUSING_A_NUMBER + more).format(low=low, high=high)
