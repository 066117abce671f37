"""Values as a person would type them, and back: a module for each kind, in which `say` and `read` of a value stand side by side.

A parser takes the whole span or nothing, and does not guess; a property test holds `read(say(value)) == value`.
To add a way to say values: both functions, and a line in the tuple at the end of the module.
"""

from generator.dialogue.values.choose import FAMILIES
from generator.dialogue.values.dates import MOMENTS, takes_on
from generator.dialogue.values.measures import MEASURES
from generator.dialogue.values.names import NAMES
from generator.dialogue.values.numbers import NUMBERS
from generator.dialogue.values.texts import TEXTS
from generator.dialogue.values.voice import Verbalizer

VERBALIZERS: dict[str, Verbalizer] = {way.name: way for way in (*TEXTS, *NUMBERS, *MOMENTS, *MEASURES, *NAMES)}

__all__ = ["FAMILIES", "VERBALIZERS", "takes_on"]
