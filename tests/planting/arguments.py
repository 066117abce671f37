"""Changes of arguments, and of what is claimed about them."""

import re
from collections.abc import Iterator
from itertools import permutations
from typing import Any

from changed_rows import Change, Proven, copy_of, other_value, replace, with_call, with_claim, with_proof, with_value

from generator.core.claims import Claim
from generator.core.conversation import SystemMessage, ToolMessage, UserMessage
from generator.core.pointers import leaves
from planting.changes import Changes


def change_an_argument(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        for pointer, leaf in leaves(row.value(claim), claim.pointer):
            yield Change(f"{claim.source} {leaf!r}", with_value(row, claim.call_id, pointer, other_value(leaf)))


def change_the_type_of_an_argument(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        value = row.value(claim)
        if isinstance(value, bool):
            yield Change(f"{value!r} as a number", with_value(row, claim.call_id, claim.pointer, int(value)))
        elif isinstance(value, str | int):
            other = [value] if isinstance(value, str) else str(value)
            yield Change(f"{value!r} as {other!r}", with_value(row, claim.call_id, claim.pointer, other))


def exchange_the_values_of_two_arguments(row: Proven) -> Changes:
    """Within a call and between calls; the claims stay."""
    for one, other in pairs_of_claims(row):
        left, right = row.value(one), row.value(other)
        changed = with_value(row, one.call_id, one.pointer, right)
        yield Change(f"{left!r} and {right!r}", with_value(changed, other.call_id, other.pointer, left))


def pairs_of_claims(row: Proven) -> Iterator[tuple[Claim, Claim]]:
    for one, other in permutations(row.proof.arguments, 2):
        if (one.call_id, one.pointer) < (other.call_id, other.pointer) and differ(row.value(one), row.value(other)):
            yield one, other


def differ(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one != other


def exchanged(row: Proven, one: Claim, other: Claim) -> Proven:
    """Each argument takes the value and the words of the other."""
    changed = with_value(row, one.call_id, one.pointer, row.value(other))
    changed = with_value(changed, other.call_id, other.pointer, row.value(one))
    changed = with_claim(changed, one, replace(other, call_id=one.call_id, pointer=one.pointer))
    return with_claim(changed, other, replace(one, call_id=other.call_id, pointer=other.pointer))


def exchange_two_arguments_of_a_call(row: Proven) -> Changes:
    """ "From Oslo to Rome", and the call flies from Rome; every claim is true."""
    for one, other in pairs_of_claims(row):
        if one.call_id == other.call_id and one.source == other.source == "user":
            yield Change(f"{one.pointer} and {other.pointer}", exchanged(row, one, other))


def exchange_an_argument_of_two_calls(row: Proven) -> Changes:
    """ "Oslo tomorrow and Rome on Friday", and the calls ask for Rome tomorrow; every claim is true."""
    claims = row.claims("user")
    spans = [(claim.message, claim.start) for claim in claims]
    own = [claim for claim in claims if spans.count((claim.message, claim.start)) == 1]
    for one, other in pairs_of_claims(row):
        calls = row.calls[one.call_id], row.calls[other.call_id]
        is_pair = one in own and other in own and one.call_id != other.call_id and calls[0].name == calls[1].name
        has_more = all(sum(claim.call_id == call.id for claim in own) > 1 for call in calls)
        if is_pair and has_more and one.pointer == other.pointer:
            yield Change(f"{one.pointer}", exchanged(row, one, other))


def turn_a_list_round(row: Proven) -> Changes:
    """The values of a list in another order than they are said in."""
    for one, other in pairs_of_claims(row):
        is_list = re.sub(r"\d+$", "*", one.pointer) == re.sub(r"\d+$", "*", other.pointer) != one.pointer
        if is_list and one.call_id == other.call_id and one.source == "user":
            yield Change(one.pointer, exchanged(row, one, other))


def add_an_argument(row: Proven) -> Changes:
    for call in row.calls.values():
        for value in (1, "x", None, [], {}, {"a": 1}):
            yield Change(call.name, with_call(row, call.id, arguments={**call.arguments, "more": value}))


def add_to_a_list_or_object(row: Proven) -> Changes:
    for call in row.calls.values():
        for name, part in call.arguments.items():
            whole = any(claim.call_id == call.id and claim.pointer == f"/{name}" for claim in row.proof.arguments)
            if isinstance(part, list | dict) and part and not whole:
                bigger = [*copy_of(part), copy_of(part[0])] if isinstance(part, list) else {**part, "more": 1}
                yield Change(name, with_value(row, call.id, f"/{name}", bigger))


def drop_an_optional_argument(row: Proven) -> Changes:
    """With all claims about it; the words for it are still there."""
    for call in row.calls.values():
        required = (row.toolbox[call.name].tool.parameters or {}).get("required", ())
        for key in call.arguments:
            claims = [c for c in row.proof.arguments if c.call_id == call.id and c.pointer.split("/")[1] == key]
            spans = [(c.start, c.end) for c in row.proof.arguments if c.call_id != call.id]
            shared = any((claim.start, claim.end) in spans for claim in claims)
            is_each = any(claim.pick == "each" for claim in row.proof.arguments)
            said = {claim.source for claim in claims} <= {"user", "earlier_turn"}
            if key not in required and said and (not shared or is_each or claims[0].source == "earlier_turn"):
                rest = {name: value for name, value in call.arguments.items() if name != key}
                changed = with_call(row, call.id, arguments=rest)
                kept = [claim for claim in row.proof.arguments if claim not in claims]
                yield Change(f"{claims[0].source} {key}", with_proof(changed, arguments=kept))


def drop_a_claim(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        others = [c.pointer for c in row.proof.arguments if c is not claim and c.call_id == claim.call_id]
        if claim.pointer not in others:
            yield Change(claim.source, with_claim(row, claim))


def redirect_a_claim(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        yield Change("no such argument", with_claim(row, claim, replace(claim, pointer="/nothing")))
        yield Change("no such call", with_claim(row, claim, replace(claim, call_id="000000000")))
        yield Change("deeper", with_claim(row, claim, replace(claim, pointer=claim.pointer + "/0")))


def claim_another_source(row: Proven) -> Changes:
    """Said, said earlier, given by the context, by a result, by the schema: only one of them is true."""
    results, systems = row.at(ToolMessage), row.at(SystemMessage)
    for claim in row.proof.arguments:
        for source in ("user", "earlier_turn", "context", "result", "default", "model"):
            if source != claim.source and (source != "user" or claim.referred is None):  # said in this message, too
                yield Change(f"{claim.source} as {source}", with_claim(row, claim, replace(claim, source=source)))
        for index in results[:2] if claim.source != "result" else ():
            there = replace(claim, source="result", message=index, result_pointer="")
            yield Change(f"{claim.source} as result", with_claim(row, claim, there))
        for index in systems if claim.source != "context" else ():
            there = replace(claim, source="context", message=index, start=0, end=5)
            yield Change(f"{claim.source} as context", with_claim(row, claim, there))
        for index in row.at(UserMessage) if claim.source == "result" else ():
            there = replace(
                claim, source="user", message=index, start=0, end=len(row.text(index)), verbalizer="literal"
            )
            yield Change("result as user", with_claim(row, claim, there))


def point_to_another_message(row: Proven) -> Changes:
    for claim in row.claims("user", "earlier_turn"):
        for index in (None, -1, len(row.talk.messages), *range(len(row.talk.messages))):
            if index != claim.message:
                yield Change(
                    f"{claim.source} in message {index}", with_claim(row, claim, replace(claim, message=index))
                )


def shift_a_span(row: Proven) -> Changes:
    for claim in row.claims("user", "earlier_turn"):
        assert claim.message is not None
        for start, end in other_spans(row, claim):
            yield Change(f"{claim.source} {start, end}", with_claim(row, claim, replace(claim, start=start, end=end)))


def other_spans(row: Proven, claim: Any) -> Iterator[tuple[int | None, int | None]]:
    """Spans that are not the claim's own: a letter more or less, none, the wrong way round, counted from the end."""
    content = row.text(claim.message)
    size, start, end = len(content), claim.start, claim.end
    yield from ((start - 1, end - 1), (start + 1, end + 1), (end, start), (start, start), (start + size, end + size))
    yield from ((start - size, end), (start - size, end - size) if end != size else (start - size, 0))
    for other in ((start + 1, end), (start, end - 1), (start, end + 1), (start - 1, end), (0, size)):
        if other != (start, end) and content[slice(*other)].strip() == content[slice(*other)]:  # not only a space more
            yield other


def read_it_otherwise(row: Proven) -> Changes:
    for claim in row.claims("user", "earlier_turn"):
        for name in ("nonsense", None, "percent" if claim.verbalizer != "percent" else "usd"):
            yield Change(f"{claim.verbalizer} as {name}", with_claim(row, claim, replace(claim, verbalizer=name)))


def borrow_the_words_of_another_argument(row: Proven) -> Changes:
    """One argument takes the value and the claim of another: what was said once cannot be said for two."""
    for one, other in permutations(row.claims("user"), 2):
        if one.call_id == other.call_id and one.pointer != other.pointer:
            changed = with_value(row, one.call_id, other.pointer, row.value(one))
            yield Change(f"{one.pointer}", with_claim(changed, other, replace(one, pointer=other.pointer)))
