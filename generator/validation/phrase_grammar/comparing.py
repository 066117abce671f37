"""The texts that may stand around the names of the best of several results and around the values compared."""

from itertools import product
from typing import Any

from generator.connectives import BEST_ARE, BEST_IS, measure_in_field, the_best, unit_in_sentences
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.phrases import Plain, TextSlot, Vocabulary, add_sentence, new_vocabulary


def best_of(spec: ToolSpec) -> Vocabulary:
    """Return what may stand around the names of the best results and their value: "Split has the lowest index: 22."."""
    book = new_vocabulary(spec, {}, _name)
    names = [f"{{args.{slot}}}" for slot in (spec.tool.parameters or {}).get("properties", {}) if slot.isidentifier()]
    own = [(best.say, best.by.partition(" ")[2]) for best in spec.phrases.best]
    for field, schema in (spec.returns or {}).get("properties", {}).items():
        name, unit = measure_in_field(field)
        if not _is_number(schema) or not name.replace(" ", "").isalpha():
            continue
        units = {"", unit, unit_in_sentences([answer.say for answer in spec.phrases.answer], field)}
        values = [f"{before}{{{field}}}{after}" for before in ("", f"{name} ") for after in units]
        words = [*[say for say, by in own if by == field], the_best(field, "min"), the_best(field, "max")]
        for best, form, slot, value in product(words, (*BEST_IS, *BEST_ARE), names, values):
            add_sentence(book, form.format(name=slot, best=best, value=value))
    return book


def _is_number(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") in ("integer", "number")


def _name(book: Vocabulary, leaf: TextSlot) -> Plain:
    """Return the texts around a name, which another name may follow."""
    return Plain(frozenset({""}) if leaf[0] == "arguments" else frozenset())
