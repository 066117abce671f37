"""Phrases of the user: a template, the values that it needs, and a function that says it."""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from generator.core.seeds import Draw
from generator.core.templates import Root, Template
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.lists import compile_list
from generator.dialogue.wording.phrases.parts import Place, compile_parts
from generator.dialogue.wording.phrases.slots import Wordings
from generator.dialogue.wording.pieces import Form, Spans, Whose
from generator.tools.productions import key_of

Values = dict[str, Any]
"""Slot → value (or `Reference` or `Several`) of what there is to say; its pointer is the slot after a slash."""
Say = Callable[[Values, Whose, Draw, Voice, int, Spans], str]
"""(values, whose, draw, voice, start, spans) → text; adds the spans of its values."""


class Line(Form):
    """A template ready to be filled; its parts are worked out at its first use."""

    __slots__ = (
        "_wordings",
        "is_order",
        "is_sentence",
        "is_with",
        "joins",
        "kind",
        "needs",
        "pairs",
        "say",
        "says",
        "template",
    )

    def __init__(self, kind: str, template: Template, wordings: Wordings, said: Template | None = None) -> None:
        super().__init__(key_of(kind, template.text), len(template.segments), template.slots)
        template = said or template
        self.kind = kind
        """What it says of a call; see `productions.py`."""
        self.template = template
        self.needs = template.needs
        """Slots that must have values."""
        self.says = template.says
        """Slots whose values it says."""
        self.pairs = template.pairs
        """The slots of each two values that it says as one."""
        self.is_sentence = template.is_sentence
        """Whether it stands alone."""
        self.joins = template.text.startswith(",")
        """Whether it follows what has been said without a space."""
        self.is_order = goes_on_ordering(template.text)
        """Whether it goes on with one more thing to do, as a request can, but no question and no noun: "and pin it"."""
        self.is_with = template.text.startswith("with ") and not template.text.startswith("with {")
        """Whether "and" may stand in place of its first word after another such line: "with the name Ann and the number …"."""
        self._wordings = wordings
        self.say: Say = self._first
        """The line with its slots said."""

    def _first(self, values: Values, whose: Whose, draw: Draw, voice: Voice, start: int, spans: Spans) -> str:
        self.say = _compiled(self.template, self._wordings)
        return self.say(values, whose, draw, voice, start, spans)


class FixedWords(Form):
    """Words that say one value without a slot, added in the same way as a line."""

    __slots__ = ("is_order", "is_sentence", "is_with", "joins", "say", "says", "text")

    def __init__(self, text: str, start: int, verbalizer: str, slot: str) -> None:
        super().__init__(key_of(verbalizer, slot), 2 if start else 1, 1)
        self.text = text
        self.is_sentence = text[:1].isupper()
        self.is_order = goes_on_ordering(text)
        self.is_with = False
        self.joins = text.startswith(",")
        self.says = frozenset({slot})
        end, pointer = len(text), "/" + slot

        def say(_: Values, whose: Whose, draw: Draw, voice: Voice, at: int, spans: Spans) -> str:
            spans.append((at + start, at + end, verbalizer, pointer, whose))
            return text

        self.say: Say = say


def goes_on_ordering(text: str) -> bool:
    """Whether a frame begins with "and" or "but"."""
    return text.removeprefix(", ").startswith(("and ", "but "))


def _compiled(template: Template, wordings: Wordings) -> Say:
    def place_of(slot: str, root: Root) -> Place:
        return Place(itemgetter(slot), "/" + slot, wordings.get(slot), wordings, "arguments")

    say_parts = compile_parts(template.segments, place_of, "user", compile_list).say

    def say(values: Values, whose: Whose, draw: Draw, voice: Voice, start: int, spans: Spans) -> str:
        return say_parts(values, "", whose, whose, draw, voice, start, spans)

    return say
