"""The second opinion: silent when both validators agree, and a rejected row when they do not."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from made_rows import conversation, made_row, recipe, write_rows
from msgspec.structs import replace
from strategies import conversations
from tiny_run import tiny_recipe

from generator.core.conversation import AssistantMessage, Conversation, ToolMessage
from generator.core.errors import RowError
from generator.formats import FORMATS, crosscheck
from generator.formats.crosscheck import cross_check
from generator.formats.rules import check_record
from generator.run.engine.run import run

DEEPFABRIC = FORMATS["deepfabric"]


def with_arguments(*arguments: object, **parameters: object) -> Conversation:
    """The usual conversation, its first calls with other arguments, its first tool with other parameters."""
    record = orjson.loads(orjson.dumps(DEEPFABRIC.render(conversation())))
    for call, passed in zip(record["messages"][2]["tool_calls"], arguments, strict=False):
        call["function"]["arguments"] = passed
    if parameters:
        record["tools"][0]["function"]["parameters"] = parameters
    return DEEPFABRIC.parse(record)


def test_both_agree_on_a_good_row():
    assert cross_check(conversation()) == []


def test_both_refuse_a_bad_one():
    (found,) = cross_check(with_arguments({"customer": 5}))
    assert (found.rule, found.path) == ("RX101", "$.messages[2].tool_calls[0].function.arguments")
    assert "jsonschema-rs says: " in found.message
    assert "jsonschema says: $.customer: 5 is not of type 'string'" in found.message


def test_a_call_that_was_refused_may_be_wrong():
    talk = with_arguments({"customer": 5}, {"customer": 5})
    failed = [
        replace(message, is_error=True) if isinstance(message, ToolMessage) else message for message in talk.messages
    ]
    unlearnt = [
        replace(message, train=False) if isinstance(message, AssistantMessage) else message for message in failed
    ]
    assert cross_check(replace(talk, messages=tuple(failed))) != []
    assert cross_check(replace(talk, messages=tuple(unlearnt))) == []


@pytest.mark.parametrize("blind", ["_fault_by_jsonschema_rs", "_fault_by_jsonschema"])
def test_one_refusing_is_enough(monkeypatch: pytest.MonkeyPatch, blind: str):
    monkeypatch.setattr(crosscheck, blind, lambda schema, arguments: "")
    assert len(cross_check(with_arguments({"customer": 5}))) == 1


@pytest.mark.parametrize(
    ("schema", "value", "good"),
    [
        ({"format": "date"}, "2026-02-30", False),
        ({"format": "date"}, "2026-02-28", True),
        ({"format": "email"}, "nobody", False),
        ({"format": "uuid"}, "123", False),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 5, "exclusiveMaximum": True}, 5, False),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}, [1], False),
        ({"prefixItems": [{"type": "string"}]}, [1], False),
        ({"type": "number", "multipleOf": 0.01}, 0.07, True),
        ({"type": "number", "multipleOf": 0.01}, 0.075, False),
    ],
)
def test_formats_and_drafts_count(schema: dict, value: object, good: bool):
    dialect = {"$schema": schema.pop("$schema")} if "$schema" in schema else {}
    talk = with_arguments({"x": value}, {}, **dialect, type="object", properties={"x": schema})
    assert [fault.rule for fault in cross_check(talk)] == ([] if good else ["RX101"])


@given(talk=conversations())
def test_any_conversation_that_breaks_no_rule_about_arguments(talk: Conversation):
    broken = any(violation.rule.startswith("DF2") for violation in check_record(DEEPFABRIC.render(talk)))
    assert bool(cross_check(talk)) <= broken


class TestInRuns:
    def test_a_row_that_they_do_not_agree_on_is_made_anew(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        answers = iter(["is odd", "", *[""] * 99])
        monkeypatch.setattr(crosscheck, "_fault_by_jsonschema", lambda schema, arguments: next(answers))
        finished = run(tiny_recipe(tmp_path, 3), tmp_path / "out")
        assert finished.tally.rows == 3
        assert finished.tally.rejected == {"RX101": 1}
        told = orjson.loads((tmp_path / "out" / "rejected.jsonl").read_bytes())
        assert told["index"] == 0
        assert told["violations"][0]["message"] == "jsonschema says: is odd"

    def test_for_ever_ends_the_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(crosscheck, "_fault_by_jsonschema", lambda schema, arguments: "is odd")
        with pytest.raises(RowError, match="row 0: RX101 jsonschema says: is odd"):
            run(tiny_recipe(tmp_path, 1), tmp_path / "out")

    def test_a_few_rows_are_asked_about(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        asked: list[object] = []
        monkeypatch.setattr("generator.run.engine.checked_row.cross_check", lambda talk: asked.append(talk) or [])
        write_rows(recipe(1001), [made_row(index) for index in range(1001)], tmp_path)
        assert len(asked) == 3
