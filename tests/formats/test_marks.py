"""A call that is wrong on purpose is never handed to a trainer as something to learn: marked, left out, or said."""

import json
from pathlib import Path

import msgspec
import pytest
from converted import convert_record
from made_rows import conversation, made_row, recipe, write_rows

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS, Format
from generator.formats.run_folder.card import advice
from generator.formats.run_folder.tally import Tally
from generator.report.files.convert import Conversion
from generator.run.row import MadeRow

WRONG = "WRONG-1"
every_format = pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS)


def with_a_wrong_call() -> Conversation:
    """A request, a call that is refused, the right one, and the answer."""
    talk = conversation()
    wrong = AssistantMessage(tool_calls=(ToolCall("z00000000", "cancel_order", {"order_id": WRONG}),), train=False)
    refusal = ToolMessage(tool_call_id="z00000000", name="cancel_order", content="Error: no such order", is_error=True)
    return msgspec.structs.replace(talk, messages=(talk.messages[1], wrong, refusal, *talk.messages[-3:]))


def made() -> MadeRow:
    row = made_row(0)
    talk = with_a_wrong_call()
    changed = msgspec.structs.replace(row.row, conversation=talk, proof=Proof(arguments=()))
    return msgspec.structs.replace(row, row=changed, record=FORMATS["deepfabric"].render(talk))


def learns_it(fmt: Format, record: dict) -> bool:
    """Whether somebody who heeds the marks of the format learns the wrong call."""
    if "spans" in record:
        return any(WRONG in record["text"][start:stop] for start, stop in record["spans"])
    if "answer" in record:
        return WRONG in json.dumps(record["answer"])
    said = [message for message in fmt.parse(record).messages if isinstance(message, AssistantMessage)]
    return any(
        message.train for message in said if any(WRONG in call.arguments.values() for call in message.tool_calls)
    )


@pytest.mark.parametrize("records", ["whole", "unrolled"])
def test_a_run_marks_it_or_leaves_the_row_out(records: str, tmp_path: Path):
    write_rows(msgspec.structs.replace(recipe(1, *FORMATS), records=records), [made()], tmp_path)
    told = [json.loads(line) for line in (tmp_path / "rejected.jsonl").read_text().splitlines()]
    left_out = {entry["format"] for entry in told}
    for name, fmt in FORMATS.items():
        path = tmp_path / f"{name}.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        assert not any(learns_it(fmt, json.loads(line)) for line in lines), name
        assert (name in left_out) != bool(lines), name
        assert not lines or fmt.policy.train != "none", name


@every_format
def test_convert_marks_it_or_says_that_it_did_not(fmt: Format):
    told = Conversion()
    raw = FORMATS["openai"].render(with_a_wrong_call())
    try:
        record = json.loads(json.dumps(convert_record(raw, FORMATS["openai"], fmt, told)))
    except (CannotCarryError, ValueError):  # no place for such a row, or several records of it
        return
    assert learns_it(fmt, record) == ("marks of what is not learnt" in told.lost)


def test_a_run_says_what_trainers_that_do_not_read_spans_would_learn():
    told = list(advice(recipe(40, "openai", "qwen", "hermes"), Tally(rows=40, wrong_calls=28)))
    assert [note.partition(" hold ")[0] for note in told] == ["qwen, hermes: 28 of 40 rows"]
    assert not list(advice(recipe(40, "openai", "qwen"), Tally(rows=40)))
    assert not list(advice(recipe(40, "openai"), Tally(rows=40, wrong_calls=28)))
