"""`records: unrolled`: a record for each message that is to be learnt, in runs and conversions."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from made_rows import conversation, made_row, recipe, write_rows
from strategies import conversations

from generator.core.conversation import AssistantMessage
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS
from generator.formats.files.validate import violations_in_file
from generator.formats.steps import unrolled
from generator.report.files.show import find_rows
from generator.run.stages.training import mark_training


@given(whole=conversations())
def test_each_part_is_a_beginning_that_ends_with_a_message_to_be_learnt(whole):
    fmt = FORMATS["openai"]
    learnt = [
        at for at, message in enumerate(whole.messages) if isinstance(message, AssistantMessage) and message.train
    ]
    try:
        parts = list(unrolled(whole, fmt))
    except CannotCarryError:
        assert not learnt
        return
    assert [len(part.messages) - 1 for part in parts] == learnt
    for part in parts:
        assert part.messages[-1] == whole.messages[len(part.messages) - 1]
        said = [message for message in part.messages if isinstance(message, AssistantMessage)]
        assert [message.train for message in said] == [False] * (len(said) - 1) + [True]


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("mistral", [["find_orders", "find_orders"], ["cancel_order"], []]),
        ("trl-split", [["find_orders"], ["find_orders"], ["cancel_order"], []]),  # one call in a message
    ],
)
def test_where_the_records_end(name, ends):
    fmt = FORMATS[name]
    records = [fmt.render(part) for part in unrolled(conversation(), fmt)]
    last = [record["messages"][-1].get("tool_calls", []) for record in records]
    assert [[call["function"]["name"] for call in calls] for calls in last] == ends


def test_what_one_record_of_all_would_refuse_is_written():
    calls = mark_training(conversation(), "calls")
    fmt = FORMATS["trl-prompt_completion"]
    assert [len(fmt.render(part)["completion"]) for part in unrolled(calls, fmt)] == [1, 1]
    two = msgspec.structs.replace(calls, messages=(calls.messages[1], *calls.messages[2:]))
    xlam = [FORMATS["xlam"].render(part) for part in unrolled(two, FORMATS["xlam"])]
    assert [len(json.loads(record["answers"])) for record in xlam] == [2]


def test_a_run_writes_the_records_of_a_row_together_and_tells_the_proof_of_each(tmp_path: Path):
    wanted = msgspec.structs.replace(recipe(4, "openai", "qwen"), records="unrolled", train="calls")
    write_rows(wanted, [made_row(index) for index in range(4)], tmp_path, block_rows=3)
    records = [json.loads(line) for line in (tmp_path / "openai.jsonl").read_text().splitlines()]
    assert [record["messages"][2]["tool_calls"][0]["id"] for record in records[::3]] == [
        f"a{row:08}" for row in range(4)
    ]
    texts = [json.loads(line) for line in (tmp_path / "qwen.jsonl").read_text().splitlines()]
    assert [len(record["spans"]) for record in texts] == [1] * 12
    assert all(text["text"].endswith(text["text"][slice(*text["spans"][0])] + "\n") for text in texts)
    assert len((tmp_path / "proofs.jsonl").read_bytes().splitlines()) == 4
    found = find_rows(tmp_path / "openai.jsonl", index=5)[0][0]
    assert found.proof is not None
    assert found.proof.index == 1
    assert not list(violations_in_file(tmp_path / "openai.jsonl", "openai"))
