"""How single values are said: small functions, put together when a tool is loaded."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from generator.seeds import Draw
from generator.wording.pieces import Pieces, Said
from generator.wording.slots import Forms, SlotWording, spoken_name
from generator.wording.verbalizers import FAMILIES, VERBALIZERS
from generator.wording.voice import Voice

Of = Literal["arguments", "result"]


class Speech(msgspec.Struct, gc=False):
    """Who speaks about which calls."""

    draw: Draw
    voice: Voice
    calls: tuple[str, ...]
    """Ids of the calls whose values are said."""
    varied: bool = True
    """People use all forms of an enum value; the assistant uses the first."""


Sayer = Callable[[str, Any, Speech, Pieces], None]
"""(pointer, value, speech, pieces): adds to the pieces what says the value."""

_SMALL = frozenset(range(2, 13))


def leaf_sayer(wording: SlotWording, of: Of, asked: str | None, alone: bool) -> Sayer:
    """The function that says the values of a leaf; `asked` is the verbalizer that a template names."""
    names = wording.verbalizers
    if asked is not None:
        names = (*FAMILIES.get(asked, (asked,)), *names)
    forms = wording.forms if asked in {None, "enum"} else {}
    names = tuple(name for name in names if name != "enum" or not wording.forms)
    name = spoken_name(wording.slot) if of == "arguments" else ""
    say = chain(names, of, f"no {name}" if name else None)
    if alone and asked is None and "words" in names:
        say = _or_in_words(say, chain(("words", *names), of))
    return _or_form(say, forms, of) if forms else say


def _or_in_words(say: Sayer, in_words: Sayer) -> Sayer:
    """Small numbers in words, by speakers who like that."""

    def say_number(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        if type(value) is int and value in _SMALL and speech.voice.small_numbers_as_words:
            in_words(pointer, value, speech, pieces)
        else:
            say(pointer, value, speech, pieces)

    return say_number


def _or_form(say: Sayer, forms: Forms, of: Of) -> Sayer:
    """The values of an enum by their spoken forms."""

    def say_form(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        found = forms.get(value) if type(value) is str else None
        if found is None:
            say(pointer, value, speech, pieces)
            return
        text = found[0]
        if speech.varied and len(found) > 1 and speech.draw.rand() < 0.4:
            text = speech.draw.choice(found)
        pieces.append(Said(text, "enum", speech.calls, pointer, of))

    return say_form


def chain(names: tuple[str, ...], of: Of, nothing: str | None = None) -> Sayer:
    """Say a value with the first verbalizer that can; the last one, json, can say anything.

    A null is said as `nothing` ("no …") where that is given: json is the only verbalizer that can say one too.
    """
    says = [(name, VERBALIZERS[name].say) for name in names]
    if nothing is not None:
        says.insert(names.index("json"), ("nothing", lambda value, voice: nothing if value is None else None))
    (first_name, first), *rest = says

    def say(pointer: str, value: Any, speech: Speech, pieces: Pieces) -> None:
        voice = speech.voice
        text = first(value, voice)
        if text is not None:
            pieces.append(Said(text, first_name, speech.calls, pointer, of))
            return
        for name, verbalize in rest:
            text = verbalize(value, voice)
            if text is not None:
                pieces.append(Said(text, name, speech.calls, pointer, of))
                return

    return say
