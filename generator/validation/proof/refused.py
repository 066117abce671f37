"""Values that the assistant refuses: they break the tool's schema, and what it says of the limits is true."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from generator.connectives import REFUSING_A_CHOICE, REFUSING_A_NUMBER, REFUSING_LESS, REFUSING_MORE
from generator.conversation import Proof, RetractedClaim, TellClaim
from generator.pointers import resolve, schema_at
from generator.validation.proof.ledger import UNKNOWN, ClaimedCall, ClaimedSpan, Finding, Ledger
from generator.validation.proof.verbalizations import verbalization
from generator.validation.readers import READERS, SpanContext
from generator.validation.schemas import UnusableSchema, compiled


def calls_after_refusal(proof: Proof) -> set[str]:
    """Return the ids of the calls for which the user first gave a value that was refused."""
    return {tell.call_id for tell in proof.tells if tell.how == "refused"}


def check_refused(ledger: Ledger, proof: Proof) -> None:
    """Check every refused value, and what is said of it."""
    for tell in proof.tells:
        if tell.how != "refused":
            continue
        claims = [claim for claim in proof.retracted if claim.call_id == tell.call_id]
        fault = (
            _fault(tell, claims[0], ledger) if len(claims) == 1 else "the user gives no such value, or more than one"
        )
        if fault is None and not any(
            (ask.message, ask.call_id, ask.pointer) == (tell.message, tell.call_id, claims[0].pointer)
            for ask in proof.asks
        ):
            fault = "nobody is asked for another value"
        if fault is not None:
            ledger.found.append(Finding("PF125", ("message", tell.message, tell.start, tell.end), fault))


def _fault(tell: TellClaim, claim: RetractedClaim, ledger: Ledger) -> str | None:
    """Return why a value is wrongly refused, or None; note where the user says it."""
    made = ledger.calls.get(tell.call_id)
    if (
        made is None
        or claim.message != made.asked_at
        or claim.message not in ledger.parts
        or tell.message != claim.message + 1
    ):
        return "the user does not give the value in the message before"
    content = ledger.contents[claim.message]
    if not 0 <= claim.start < claim.end <= len(content):
        return "there is no such text"
    if any(part.start < claim.end and claim.start < part.end for part in ledger.parts[claim.message]):
        return "these words say something else"
    saying = verbalization(made.spec, ledger.tongues[claim.message], "arguments", claim.pointer, claim.verbalizer)
    ledger.parts[claim.message].append(ClaimedSpan(claim.start, claim.end, made.id, saying, UNKNOWN))
    schema = schema_at(made.spec.tool.parameters, claim.pointer)
    check = None if schema is None else compiled(schema)
    if schema is None or check is None or isinstance(check, UnusableSchema):
        return "the tool accepts anything there"
    value = _meaning(content[claim.start : claim.end], saying.place.read, ledger)
    if not ("enum" in schema or {"minimum", "maximum"} <= schema.keys()):
        return "the tool sets no such limits"
    if check.is_valid(value):
        return "the tool accepts what the user says"
    if made.arguments is not None and not check.is_valid(_argument(made, claim.pointer)):
        return "the tool does not accept what the call passes on"
    text = ledger.contents[tell.message][tell.start : tell.end]
    return _untrue(text, value, schema, made, claim.pointer, lambda words: _bound(words, saying.place.read, ledger))


def _meaning(words: str, read: Any, ledger: Ledger) -> Any:
    """Return the value that words say; the words themselves if they say none."""
    try:
        return read(words, ledger.today)
    except ValueError:
        return words


def _argument(made: ClaimedCall, pointer: str) -> Any:
    try:
        return resolve(made.arguments, pointer)
    except LookupError:
        return None


def _untrue(
    text: str,
    value: Any,
    schema: dict[str, Any],
    made: ClaimedCall,
    pointer: str,
    bound: Callable[[str], frozenset[float]],
) -> str | None:
    """Return why a sentence does not say what a schema accepts, or None; `bound` reads what is said of a limit."""
    if "enum" in schema:
        forms = made.spec.phrases.synonyms.get(pointer.removeprefix("/"), ())
        options = next((said["options"] for said in _read(text, REFUSING_A_CHOICE)), "")
        try:
            values = [READERS["enum"](part, SpanContext(None, schema, forms)) for part in re.split(r", | or ", options)]
        except ValueError:
            values = []
        return None if values == schema["enum"] else "these are not the choices that there are"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "the user says no number"
    beyond = REFUSING_MORE if value > schema["maximum"] else REFUSING_LESS if value < schema["minimum"] else ()
    for said in _read(text, REFUSING_A_NUMBER + beyond):
        wrong = [name for name, words in said.items() if schema[_KEYS[name]] not in bound(words)]
        return f"the {wrong[0]} bound is another one" if wrong else None
    return "it does not say what is accepted"


_KEYS = {"low": "minimum", "high": "maximum"}


def _read(text: str, templates: tuple[str, ...]) -> list[dict[str, str]]:
    """Return what a text says for the placeholders of each template that it is made of."""
    found = []
    for template in templates:
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template))
        match = re.fullmatch(pattern, text)
        if match is not None:
            found.append(match.groupdict())
    return found


def _bound(words: str, read: Any, ledger: Ledger) -> frozenset[float]:
    """Return what words may mean as a limit: as a number, and as the words for the refused value are read."""
    found = {_meaning(words, read, ledger)}
    with suppress(ValueError):
        found.add(READERS["number"](words, SpanContext(None, {"type": "number"}, ())))
    return frozenset([value for value in found if isinstance(value, int | float)])
