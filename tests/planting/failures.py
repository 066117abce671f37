"""Changes of calls that fail, and of what is told of them."""

from collections.abc import Iterator

from changed_rows import (
    Change,
    Proven,
    replace,
    spliced,
    with_claim,
    with_message,
)

from generator.core.conversation import ToolMessage
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
