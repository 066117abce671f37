"""Changes of what answers state."""

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import orjson
from changed_rows import Change, Proven, replace, with_claim

from generator.core.claims import AnswerClaim
from generator.core.conversation import ToolMessage
from generator.core.pointers import resolve
from planting.arguments import other_spans
from planting.changes import Changes


def tell_another_value(row: Proven) -> Changes:
    """A claim about an answer leads to another value than the words state."""
    for one, other in pairwise(row.proof.answers):
        said = row.text(one.message)[one.start : one.end], row.text(other.message)[other.start : other.end]
        if said[0] != said[1] and one.verbalizer == other.verbalizer:
            swapped = replace(one, pointer=other.pointer, call_id=other.call_id, of=other.of)
            if meant_by(row, one) != meant_by(row, swapped):
                yield Change(f"{one.pointer} as {other.pointer}", with_claim(row, one, swapped))


def meant_by(row: Proven, claim: AnswerClaim) -> Any:
    told_at = {row.talk.messages[index].tool_call_id: index for index in row.at(ToolMessage)}
    source = orjson.loads(row.text(told_at[claim.call_id])) if claim.of == "result" else row.arguments_of(claim.call_id)
    return resolve(source, claim.pointer)


def redirect_an_answer(row: Proven) -> Changes:
    size, texts = len(row.talk.messages), [message.content or "" for message in row.talk.messages]
    for claim in row.proof.answers:
        said = texts[claim.message][claim.start : claim.end]
        again = {
            index for index, text in enumerate(texts) if index > claim.message and text[claim.start : claim.end] == said
        }  # just as true there
        for change in (
            *(
                {"message": index}
                for index in (*range(-1, size + 1), 10**6, -(10**6))
                if index != claim.message and index not in again
            ),
            {"call_id": "000000000"},
            {"pointer": "/nothing"},
            {"pointer": claim.pointer + "/0"},
            {"of": "arguments" if claim.of == "result" else "result", "pointer": claim.pointer + "x"},
            {"verbalizer": "nonsense"},
            *({"start": start, "end": end} for start, end in other_spans(row, claim)),
        ):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))


def claim_less_of_an_answer(row: Proven) -> Changes:
    """A name stands in the answer, and nothing says where it comes from."""
    spans = Counter((claim.message, claim.start) for claim in row.proof.answers)
    for claim in row.proof.answers:
        if spans[claim.message, claim.start] == 1 and not re.search(
            r"\d", row.text(claim.message)[claim.start : claim.end]
        ):
            yield Change(row.text(claim.message)[claim.start : claim.end], with_claim(row, claim))


def claim_no_number_of_an_answer(row: Proven) -> Changes:
    for claim in row.proof.answers:
        if re.search(r"\d", row.text(claim.message)[claim.start : claim.end]):
            yield Change(row.text(claim.message)[claim.start : claim.end], with_claim(row, claim))
