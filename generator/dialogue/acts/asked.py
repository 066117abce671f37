"""Asked: which fields of a look-up's result a request names ("when is sunset in Trier"), and whether the answer tells them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from generator.core.templates import Slot, parse_template
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.acts.listed import value_at
from generator.dialogue.proof.ledger import ClaimedCall, Ledger
from generator.dialogue.wording.phrases.telling import OF_CALL, speaks_of_several
from generator.dialogue.wording.phrases.tool_phrases import measures_of, names_one_of

_KINDS = ("request: ", "question: ", "want: ")
"""The kinds of forms that say what a user wants to know."""
_VALUE = re.compile(r"\{[^{}]*\}")
_OF_ANY = frozenset({"time", "name", "from", "until"})
"""Words in names of fields that also say other things."""


def may_name(spec: ToolSpec) -> bool:
    """Whether a request may name a field of the tool's result: it looks up one thing."""
    return spec.looks_up and not spec.phrases.each


def fields_asked_for(spec: ToolSpec, key: str) -> frozenset[str]:
    """Return the fields of a result that a form of a request names, of those that answers tell; none for tools that find lists."""
    if not may_name(spec) or not key.startswith(_KINDS):
        return frozenset()
    text, words = _VALUE.sub(" ", key.partition(": ")[2]), _words_by_field(spec)
    found = frozenset([field for field, own in words.items() if names_one_of([text], own)])
    return found if len(found) < len(words) else frozenset()  # who names all of them asks for the whole thing


@once_per_tool
def _words_by_field(spec: ToolSpec) -> dict[str, frozenset[str]]:
    """Return the words that name each field which answers tell, and no other."""
    told_fields = {field for answer in spec.phrases.answer for field in _fields_in_text(answer.say)}
    words_by_field = {field: measures_of(spec, field)[0] for field in sorted(told_fields) if not field.endswith("_id")}
    return {
        field: frozenset([word for word in words if len(word) > 2 and word not in _OF_ANY])
        for field, words in words_by_field.items()
        if field not in spec.properties
    }


def _fields_in_text(say: str) -> list[str]:
    """Return the fields of a result that an answer says: `sunset` for "The sun sets at {sunset}."."""
    return [
        part.slot for part in parse_template(say, "result").segments if isinstance(part, Slot) and part.of == "result"
    ]


# --- checking ---


def check(ledger: Ledger) -> None:
    """Check that the answer to a request that names fields of a result tells one of them, if the result has it."""
    if ledger.phrases:
        _check_number(ledger)
    if ledger.prefix or not ledger.phrases:
        return
    for index, uses in ledger.uses.items():
        for use in uses:
            if use.key.startswith(_KINDS):
                for call in use.calls:
                    made = ledger.calls.get(call)
                    if made is not None and made.asked_at == index and type(made.result) is dict:
                        _check_answer(ledger, made, use.key)


def _check_number(ledger: Ledger) -> None:
    """Check that no sentence which speaks of several things is said of a list of one."""
    for index, uses in ledger.uses.items():
        for use in uses:
            list_name = _list_of_several(use.key) if use.key.startswith("answer: ") else ""
            for call in use.calls if list_name else ():
                looked_up = ledger.calls.get(call)
                list_in_result = (
                    looked_up.result.get(list_name)
                    if looked_up is not None and isinstance(looked_up.result, dict)
                    else None
                )
                if isinstance(list_in_result, list) and len(list_in_result) == 1:
                    ledger.report("PF145", ("message", index), "there is one of {}", list_name)


@lru_cache(maxsize=8192)
def _list_of_several(key: str) -> str:
    """Return the list that the answer of a key tells in words for several elements, as "these are {files}" does; or an empty text."""
    try:
        return speaks_of_several(parse_template(key.removeprefix("answer: "), "result"))
    except ValueError:  # no file has such a sentence, which is told where sentences are read
        return ""


def _check_answer(ledger: Ledger, call: ClaimedCall, key: str) -> None:
    """Check that answers tell one of the fields that the form of a request names, of those that the result has."""
    asked_fields = fields_asked_for(call.spec, key)
    if not asked_fields or call.failed:
        return
    asked_fields = asked_fields & {
        field
        for answer in call.spec.phrases.answer
        if all(value_at(call, where) == value for where, value in answer.when)
        for field in _fields_in_text(answer.say)
        if call.result.get(field) not in (None, "", [])
    }
    told_fields = set(_fields_answered(ledger, call)) if asked_fields else set()
    if told_fields and not told_fields.intersection(asked_fields):
        ledger.report(
            "PF144", ("argument", call.id, ""), "the answer does not tell {}", ", ".join(sorted(asked_fields))
        )


def _fields_answered(ledger: Ledger, call: ClaimedCall) -> Iterator[str]:
    """Yield the fields of a result that answers tell, or for whose value they have a sentence."""
    for claim in ledger.proof.answers:
        if claim.call_id == call.id and claim.of == "result":
            yield claim.pointer[1:].partition("/")[0]
    keys = {use.key for uses in ledger.uses.values() for use in uses if call.id in use.calls}
    for answer in call.spec.phrases.answer:
        if f"answer: {answer.say}" in keys:
            yield from [field for field, _ in answer.when if not field.startswith(OF_CALL)]
