"""Changes of results, and of what is taken from them, hangs on them or is compared."""

import re
from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

import orjson
from changed_rows import (
    Change,
    Proven,
    copy_of,
    other_value,
    replace,
    spliced,
    with_claim,
    with_message,
    with_messages,
    with_result,
    with_value,
    without_call,
)

from generator.core.claims import Claim
from generator.core.conversation import AssistantMessage, ToolMessage
from generator.core.pointers import resolve, set_at
from planting.arguments import differ
from planting.changes import Changes


def change_a_result(row: Proven) -> Changes:
    """What a call takes from it, or an answer tells of it."""
    told_at = {row.talk.messages[index].tool_call_id: index for index in row.at(ToolMessage)}
    used = [(claim.message or 0, claim.result_pointer or "") for claim in row.claims("result")]
    used += [(told_at[c.call_id], c.pointer) for c in row.proof.answers if c.of == "result" and c.verbalizer != "count"]
    for index, pointer in used:
        try:
            result = orjson.loads(row.text(index))
        except orjson.JSONDecodeError:  # an error that is told as it stands
            continue
        value = resolve(result, pointer)
        set_at(result, pointer, other_value(value))
        yield Change("another value", with_result(row, index, result))
        yield Change("nothing", with_result(row, index, {}))
        yield Change("text", with_result(row, index, f"It is {value}."))
        yield Change("broken", with_result(row, index, row.text(index)[:-1]))


def exchange_two_results(row: Proven) -> Changes:
    for one, other in permutations(row.at(ToolMessage), 2):
        told = {claim.call_id for claim in row.proof.answers if claim.of == "result" and claim.verbalizer == "literal"}
        ids = {row.talk.messages[at].tool_call_id for at in (one, other)}
        if one < other and told & ids and row.text(one) != row.text(other):
            changed = with_result(row, one, row.text(other))
            yield Change("exchanged", with_result(changed, other, row.text(one)))


def drop_a_result(row: Proven) -> Changes:
    """What is claimed of it is still claimed."""
    used = {claim.call_id for claim in row.proof.answers}
    for index in row.at(ToolMessage):
        if row.talk.messages[index].tool_call_id in used:
            yield Change(f"{index}", with_message(row, index, tool_call_id="000000000"))


def lengthen_a_list_that_was_counted(row: Proven) -> Changes:
    told_at = {row.talk.messages[index].tool_call_id: index for index in row.at(ToolMessage)}
    for claim in row.proof.answers:
        if claim.verbalizer == "count" and claim.of == "result":
            result = orjson.loads(row.text(told_at[claim.call_id]))
            listed = resolve(result, claim.pointer)
            if isinstance(listed, list):
                listed.append(listed[-1])
                yield Change(claim.pointer, with_result(row, told_at[claim.call_id], result))


def take_from_elsewhere(row: Proven) -> Changes:
    for claim in row.claims("result"):
        for index in (None, -1, len(row.talk.messages), *range(len(row.talk.messages))):
            if index != claim.message:
                yield Change(f"message {index}", with_claim(row, claim, replace(claim, message=index)))
        for pointer in (None, "", "/nothing", "/orders", "/orders/99/order_id", f"{claim.result_pointer}/0"):
            yield Change(f"place {pointer}", with_claim(row, claim, replace(claim, result_pointer=pointer)))


def take_before_there_is_a_result(row: Proven) -> Changes:
    """The dependent calls move into the first step."""
    dependent = [row.calls[claim.call_id] for claim in row.claims("result")]
    if dependent:
        first = row.at(AssistantMessage)[0]
        messages = list(row.talk.messages)
        for index in row.at(AssistantMessage):
            calls = tuple(call for call in messages[index].tool_calls if call not in dependent)
            messages[index] = replace(messages[index], tool_calls=(*calls, *dependent) if index == first else calls)
        yield Change("called at once", with_messages(row, messages))


class Picked(NamedTuple):
    """A claim that an element was singled out, and the list."""

    claim: Claim
    result: Any
    elements: list[Any]
    chosen: int
    pattern: tuple[str, str]
    """What stands before the element's place in the pointer and after it."""


def picked(row: Proven) -> Iterator[Picked]:
    for claim in row.claims("result"):
        match = re.fullmatch(r"(.*?)/(\d+)(/.*|)", claim.result_pointer or "")
        if match and claim.pick not in {None, "each"}:
            result = orjson.loads(row.text(claim.message or 0))
            yield Picked(claim, result, resolve(result, match[1]), int(match[2]), (match[1], match[3]))


def take_another_element(row: Proven) -> Changes:
    """The argument and the claim agree with each other, but not with the user's words."""
    for claim, result, elements, chosen, (before, after) in picked(row):
        for index in range(len(elements)):
            pointer = f"{before}/{index}{after}"
            if index != chosen and differ(resolve(result, pointer), row.value(claim)):
                changed = with_value(row, claim.call_id, claim.pointer, resolve(result, pointer))
                yield Change(
                    f"{claim.pick}: {index}", with_claim(changed, claim, replace(claim, result_pointer=pointer))
                )


def let_another_element_stand_out(row: Proven) -> Changes:
    for claim, result, elements, chosen, (before, _) in picked(row):
        extreme, _, field = (claim.pick or "").partition(" ")
        for index in range(len(elements)) if extreme == "is" else ():
            field, _, value = field.partition(" ")
            if index != chosen:
                changed = copy_of(result)
                set_at(changed, f"{before}/{index}/{field}", orjson.loads(value))
                yield Change(f"{claim.pick} twice", with_result(row, claim.message or 0, changed))
            break
        for index in range(len(elements)) if extreme in ("min", "max") else ():
            own = resolve(elements[chosen], field)
            if index != chosen and isinstance(own, int | float):
                for value in (own - 1 if extreme == "min" else own + 1, own):
                    changed = copy_of(result)
                    set_at(changed, f"{before}/{index}/{field.removeprefix('/')}", value)
                    yield Change(f"{claim.pick} {value}", with_result(row, claim.message or 0, changed))


def pick_by_something_else(row: Proven) -> Changes:
    for claim, _, elements, chosen, _ in picked(row):
        for pick, holds in (("first", chosen == 0), ("last", chosen == len(elements) - 1)):
            if not holds:
                yield Change(f"{claim.pick} as {pick}", with_claim(row, claim, replace(claim, pick=pick)))
        for pick in ("", "second", "best total", "min", "min nothing", "max order_id/x", "min  total", "each", None):
            yield Change(f"{claim.pick} as {pick!r}", with_claim(row, claim, replace(claim, pick=pick)))


def describe_with_other_words(row: Proven) -> Changes:
    """The words for the element are others, none, or "it" although nothing has been spoken of."""
    taken: set[tuple[int | None, str | None]] = set()
    for claim, *_ in picked(row):
        if claim.referred is not None:  # these words leave it open, see below
            continue
        index = row.asked_at[claim.call_id]
        said = row.text(index)[claim.start : claim.end]
        for start, end in (
            *((None, None), (0, 4), ((claim.start or 0) + 1, claim.end), (claim.start, (claim.end or 0) - 1)),
            *((claim.end, claim.start), (10**6, 10**6 + 3)),
        ):
            if (start, end) != (claim.start, claim.end):
                yield Change(f"{said!r} {start, end}", with_claim(row, claim, replace(claim, start=start, end=end)))
        words = ["the seventh one", "one of them", *([] if (claim.message, claim.result_pointer) in taken else ["it"])]
        taken.add((claim.message, claim.result_pointer))
        for other in words:
            yield Change(f"{said!r} → {other!r}", spliced(row, index, claim.start or 0, len(said), other))


def call_for_some_instead_of_each(row: Proven) -> Changes:
    each = [claim for claim in row.claims("result") if claim.pick == "each"]
    if len(each) > 2:
        for claim in each:
            yield Change("one is left out", without_call(row, claim.call_id))
