"""Changes of calls that fail, and of what is told of them."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import orjson
from changed_rows import (
    Change,
    Proven,
    other_value,
    rearranged,
    replace,
    spliced,
    with_call,
    with_claim,
    with_default,
    with_message,
    with_result,
    with_value,
    without_call,
)

from generator.core.claims import Claim, TellClaim, WishClaim
from generator.core.conversation import AssistantMessage, ToolMessage
from generator.core.pointers import resolve
from planting.arguments import other_spans
from planting.changes import Changes


def failed(row: Proven) -> Iterator[int]:
    """The results that are errors."""
    for index in row.at(ToolMessage):
        message = row.talk.messages[index]
        if isinstance(message, ToolMessage) and message.is_error:
            yield index


def let_a_failed_call_go_well(row: Proven) -> Changes:
    for index in failed(row):
        yield Change(row.text(index), with_message(row, index, content='{"done":true}', is_error=False))


def let_a_call_fail(row: Proven) -> Changes:
    """The answer tells it as if it had gone well."""
    for index in row.at(ToolMessage):
        if index not in set(failed(row)):
            content = '{"error":"timeout","message":"The request timed out."}'
            yield Change(row.text(index), with_message(row, index, content=content, is_error=True))
            for unmarked in ('{"result":"Error: Light with ID 653 not found."}', "Failed to reach the light", content):
                yield Change(unmarked, with_message(row, index, content=unmarked))


def drop_what_is_told(row: Proven) -> Changes:
    for told in row.proof.tells:
        yield Change(told.how, with_claim(row, told))


def redirect_what_is_told(row: Proven) -> Changes:
    for told in row.proof.tells:
        others = [call for call in row.calls if call != told.call_id]
        for change in (
            *(
                {"message": index}
                for index in (-1, len(row.talk.messages), *range(len(row.talk.messages)))
                if index != told.message
            ),
            *({"call_id": call} for call in ("000000000", *others)),
            {"how": "nonsense"},
            *({"start": start, "end": end} for start, end in other_spans(row, told)),
        ):
            yield Change(f"{change}", with_claim(row, told, replace(told, **change)))


def give_another_reason(row: Proven) -> Changes:
    for claim in row.proof.answers:
        if claim.verbalizer == "message":
            words = "you have no card on file"
            yield Change(words, spliced(row, claim.message, claim.start, claim.end - claim.start, words))


def forget_that_a_call_is_made_again(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        if wish.mends is not None:
            yield Change(wish.tool, with_claim(row, wish, replace(wish, mends=None)))


def let_a_search_find_something(row: Proven) -> Changes:
    """The answer says that there is nothing."""
    empty = {tell.call_id for tell in row.proof.tells if tell.how == "empty"}
    for index in row.at(ToolMessage):
        if row.talk.messages[index].tool_call_id in empty:
            ((name, _),) = orjson.loads(row.text(index)).items()
            yield Change("one", with_result(row, index, {name: [{"title": "One"}]}))
            yield Change("another shape", with_result(row, index, []))


def make_again_what_went_well(row: Proven) -> Changes:
    for one, other in pairwise(row.proof.wishes):
        if other.mends is None:
            yield Change(one.tool, with_claim(row, other, replace(other, mends=one.call_id)))
        yield Change("itself", with_claim(row, other, replace(other, mends=other.call_id)))


def make_again_with_other_arguments(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        call = row.calls.get(wish.call_id)
        if wish.mends is not None and call is not None and call.id not in row.own_calls:
            for name, value in call.arguments.items():
                yield Change(name, with_value(row, call.id, f"/{name}", other_value(value)))


def offer_something_else(row: Proven) -> Changes:
    """The assistant offers another thing, or to leave something else out, than what is done then; or the user wants something else left out."""
    taken = {claim.referred[0]: claim for claim in row.proof.arguments if claim.referred is not None}
    for told in row.proof.tells:
        if told.how == "alternative" and told.message in taken:
            _, start, end = taken[told.message].referred
            yield Change("the other one", spliced(row, told.message, start, end - start, "the other one"))
            yield from _offer_the_same_one(row, told, taken[told.message])
        elif told.how in ("offered", "otherwise"):
            yield from _offer_another_value(row, told)
        elif told.how in ("alternative", "fallback", "left_out"):
            before, the, _ = row.text(told.message)[told.start : told.end].rpartition(" the ")
            words = f"{before}{the}colour{'?' if told.how == 'alternative' else '.'}"
            changed = spliced(row, told.message, told.start, told.end - told.start, words)
            moved = next(one for one in changed.proof.tells if (one.message, one.how) == (told.message, told.how))
            yield Change(words, with_claim(changed, moved, replace(moved, end=told.start + len(words))))


def _offer_another_value(row: Proven, told: TellClaim) -> Changes:
    """The value with which a search is made again is another one than is said, or is not said to come from there."""
    for claim in row.proof.arguments:
        if (
            claim.message == told.message
            and claim.start is not None
            and claim.end is not None
            and told.start <= claim.start < told.end
        ):
            yield Change("Atlantis", spliced(row, told.message, claim.start, claim.end - claim.start, "Atlantis"))
            yield Change("default", with_claim(row, claim, replace(claim, source="default")))
            yield Change("another message", with_claim(row, claim, replace(claim, message=told.message + 1)))
            yield Change(
                "another tell",
                with_claim(row, told, replace(told, how="left_out" if told.how == "offered" else "fallback")),
            )
            before = next(
                row.calls[wish.mends]
                for wish in row.proof.wishes
                if wish.call_id == claim.call_id and wish.mends is not None
            )
            old = str(before.arguments[claim.pointer.removeprefix("/")]).replace("_", " ")
            yield from _change_another_argument(
                row, spliced(row, told.message, claim.start, claim.end - claim.start, old), claim, {}
            )


def _offer_the_same_one(row: Proven, told: TellClaim, claim: Claim) -> Changes:
    """The assistant offers what could not be had."""
    first = next(one for one in row.proof.arguments if (one.call_id, one.pointer) == (told.call_id, claim.pointer))
    named, other = [(one.pick or "").split(" ", 2) for one in (claim, first)]
    if len(named) == len(other) == 3 and named[:2] == other[:2] == ["is", named[1]]:
        _, start, end = claim.referred
        new, old = (str(orjson.loads(one[2])) for one in (named, other))
        words = row.text(told.message)[start:end].replace(new, old)
        same = {"result_pointer": first.result_pointer, "pick": first.pick}
        yield from _change_another_argument(row, spliced(row, told.message, start, end - start, words), claim, same)


def _change_another_argument(row: Proven, said: Proven, claim: Claim, same: dict[str, Any]) -> Changes:
    """What is said is the value that the first call had, and another argument differs: it has its default, of which nobody speaks."""
    again = row.calls[claim.call_id]
    before = next(
        row.calls[wish.mends] for wish in row.proof.wishes if wish.call_id == again.id and wish.mends is not None
    )
    said = with_value(said, again.id, claim.pointer, resolve(before.arguments, claim.pointer))
    for name, value in again.arguments.items():
        if not claim.pointer.startswith(f"/{name}"):
            default = other_value(value)
            changed = with_value(with_default(said, again.name, name, default), again.id, f"/{name}", default)
            kept = next(
                one for one in changed.proof.arguments if (one.call_id, one.pointer) == (again.id, claim.pointer)
            )
            unsaid = Claim(again.id, f"/{name}", "default")
            yield Change(f"{name} by default", with_claim(changed, kept, replace(kept, **same), unsaid))
            yield Change(f"{name} only", with_claim(changed, kept, unsaid))


def end_a_state_otherwise(row: Proven) -> Changes:
    """The step that makes a refused call possible is about another thing, or the assistant or the user speaks of another step."""
    for wish in row.proof.wishes:
        if wish.unblocks is None:
            continue
        arguments = row.arguments_of(wish.call_id)
        for name, value in arguments.items():
            yield from _claimed_or_made(row, wish, {**arguments, name: other_value(value)})
        yield Change("for no call", with_claim(row, wish, replace(wish, unblocks="000000000")))
        for told in [told for told in row.proof.tells if told.how in ("unblocking", "if_need_be")]:
            words = "Shall I burn it first?" if told.how == "unblocking" else "If need be, burn it first."
            changed = spliced(row, told.message, told.start, told.end - told.start, words)
            moved = next(one for one in changed.proof.tells if one.how == told.how)
            yield Change(words, with_claim(changed, moved, replace(moved, end=told.start + len(words))))


def _claimed_or_made(row: Proven, wish: WishClaim, arguments: dict[str, Any]) -> Changes:
    """Other arguments of a call that was made, or of one that the user did not want."""
    changed = (
        with_claim(row, wish, replace(wish, unmade=arguments))
        if wish.unmade
        else with_call(row, wish.call_id, arguments=arguments)
    )
    yield Change(f"{arguments}", changed)


def do_more_than_end_a_state(row: Proven) -> Changes:
    """The step takes an argument of which nobody speaks."""
    for wish in row.proof.wishes:
        if wish.unblocks is not None:
            yield from _claimed_or_made(row, wish, {**row.arguments_of(wish.call_id), "everywhere": True})


def end_another_state(row: Proven) -> Changes:
    """The call was refused for something that the step does not change."""
    refused = {wish.unblocks for wish in row.proof.wishes} - {None}
    for index in failed(row):
        if row.talk.messages[index].tool_call_id in refused:
            title = row.text(index).partition(" - ")[0]
            others = (
                "Error: The request timed out.",
                '{"error":"timeout"}',
                "Error: Not allowed - you may not do that",
                f"{title} - the request timed out",
            )
            for content in others:
                yield Change(content, with_message(row, index, content=content))


def end_a_state_without_leave(row: Proven) -> Changes:
    """Nobody asks and nobody agrees, or the user has not said so with the request."""
    for told in row.proof.tells:
        if told.how == "unblocking" and any(one.how == "yes" for one in row.proof.tells):
            gone = {told.message, told.message + 1}
            yield Change("no question", rearranged(row, [at for at in range(len(row.talk.messages)) if at not in gone]))
        if told.how == "if_need_be":
            changed = spliced(row, told.message, told.start - 1, told.end - told.start + 1, "")
            yield Change(
                "no leave", with_claim(changed, next(one for one in changed.proof.tells if one.how == told.how))
            )


def end_a_state_for_nothing(row: Proven) -> Changes:
    """The refused call is not made again after it, but told as if it had been."""
    unblocked = {wish.unblocks for wish in row.proof.wishes}
    for wish in row.proof.wishes:
        if wish.mends in unblocked and wish.mends is not None and wish.unmade is None:
            yield Change(wish.tool, without_call(row, wish.call_id))


def learn_a_wrong_call(row: Proven) -> Changes:
    for index in row.at(AssistantMessage):
        message = row.talk.messages[index]
        if isinstance(message, AssistantMessage) and not message.train:
            yield Change("learnt", with_message(row, index, train=True))
