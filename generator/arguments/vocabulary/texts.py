"""Free text as people type it: templates of data/texts.yaml and grammars of kinds, filled in when a pool of them is first needed."""

import re
from datetime import date
from functools import cache
from itertools import product

from generator.arguments.kinds.records import split_values
from generator.arguments.vocabulary.data_files import load
from generator.arguments.vocabulary.words import values_of_kind
from generator.core.seeds import Draw, stream_seed
from generator.core.text_grammars import expand_texts

_OF_EACH = 24
_SMALL = frozenset({"query", "reason", "code_query", "web_query"})
"""Texts that people do not begin with a capital letter."""


@cache
def composed(grammar: str) -> tuple[str, ...]:
    """Return the texts that a kind's grammar stands for."""
    return expand_texts(tuple(grammar.splitlines()))


def write_texts(name: str) -> tuple[str, ...]:
    """Return texts of a name in the data file, up to two dozen of each template."""
    data = load("texts")
    draw = Draw(stream_seed("texts", name), date.min)
    found: list[str] = []
    for template in data["texts"][name].splitlines():
        slots = list(dict.fromkeys(re.findall(r"{(\w+)}", template)))
        parts = [split_values(data["parts"][slot]) if slot in data["parts"] else values_of_kind(slot) for slot in slots]
        for chosen in draw.shuffled(list(product(*parts)))[:_OF_EACH]:
            text = template.format(**dict(zip(slots, chosen, strict=True)))
            found.append(text if name in _SMALL else text[0].upper() + text[1:])
    return tuple(dict.fromkeys(found))
