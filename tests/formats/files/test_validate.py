"""Files of records against the rules: which line, which fault, which count."""

import json
from contextlib import suppress

import orjson
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import JSON, conversations, requests, tampered

from generator.core.errors import CannotCarryError, FormatError, OutputError
from generator.core.profiles import PROFILES
from generator.formats import FORMATS
from generator.formats.files import records
from generator.formats.files.validate import FileTally, check_raw, violations_in_file
from generator.formats.rules import RULES

slow_data = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
every_format = pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS)

RECORD = {
    "messages": [
        {"role": "user", "content": "What time is it?"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "aaaaaaaa1", "type": "function", "function": {"name": "get_time", "arguments": {"city": "Oslo"}}}
            ],
        },
        {"role": "tool", "tool_call_id": "aaaaaaaa1", "name": "get_time", "content": "15:30"},
        {"role": "assistant", "content": "Half past three."},
    ]
}
GOOD = json.dumps(RECORD).encode()
BAD_ID = GOOD.replace(b"aaaaaaaa1", b"call_1")


def found(path, format_name="deepfabric"):
    """What is found in a file, and its tally."""
    tally = FileTally()
    faults = [(f.line, f.violation.rule, f.violation.path) for f in violations_in_file(path, format_name, tally)]
    return faults, tally


def file_of(tmp_path, *lines, end=b"\n"):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join(lines) + end)
    return path


def test_a_clean_file_has_no_faults(tmp_path):
    faults, tally = found(file_of(tmp_path, GOOD, GOOD, GOOD))
    assert faults == []
    assert (tally.rows, tally.faulty, dict(tally.rules)) == (3, 0, {})


def test_all_faults_of_all_lines_are_found(tmp_path):
    twice = BAD_ID.replace(b'"function", "function"', b'"tool", "function"')
    faults, tally = found(file_of(tmp_path, GOOD, BAD_ID, GOOD, twice, b"3"))
    assert faults == [
        (2, "DF301", "$.messages[1].tool_calls[0].id"),
        (4, "DF109", "$.messages[1].tool_calls[0].type"),
        (4, "DF301", "$.messages[1].tool_calls[0].id"),
        (5, "DF101", "$"),
    ]
    assert (tally.rows, tally.faulty) == (5, 3)
    assert tally.rules == {"DF301": 2, "DF109": 1, "DF101": 1}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   ",
        b"{",
        b'{"messages": [}',
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": 1} {"a": 2}',
        b"[" * 5000,
        b"\xef\xbb\xbf{}",
    ],
)
def test_a_line_that_is_not_one_json_value_is_a_fault_and_the_next_is_checked(tmp_path, line):
    faults, tally = found(file_of(tmp_path, GOOD, line, BAD_ID))
    assert [(number, rule) for number, rule, _ in faults] == [(2, "DF100"), (3, "DF301")]
    assert tally.rows == 3


def test_the_last_line_needs_no_line_break(tmp_path):
    assert found(file_of(tmp_path, GOOD, BAD_ID, end=b""))[0] == [(2, "DF301", "$.messages[1].tool_calls[0].id")]
    assert found(file_of(tmp_path, GOOD, GOOD, end=b"\r\n"))[0] == []


def test_an_empty_file_has_no_rows(tmp_path):
    faults, tally = found(file_of(tmp_path, end=b""))
    assert (faults, tally.rows) == ([], 0)


def test_blank_lines_in_a_row_are_one_fault_and_counted(tmp_path):
    tally = FileTally()
    path = file_of(tmp_path, GOOD, *[b""] * 400_000, b" \t", GOOD, b"", end=b"\n")
    faults = list(violations_in_file(path, "deepfabric", tally))
    assert [(fault.line, fault.violation.rule) for fault in faults] == [(2, "DF100"), (400_004, "DF100")]
    assert faults[0].violation.message == "is blank, and so are the next 400,000 lines"
    assert (tally.rows, tally.faulty) == (400_004, 400_002)


def test_a_line_that_is_too_long_is_refused_and_the_next_is_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "LONGEST_LINE", 2 * len(GOOD))
    faults, tally = found(file_of(tmp_path, GOOD + b" " * 9 * len(GOOD), BAD_ID, b" " * 3 * len(GOOD), end=b""))
    assert [(line, rule) for line, rule, _ in faults] == [(1, "DF100"), (2, "DF301"), (3, "DF100")]
    assert tally.rows == 3


def test_faults_come_while_the_file_is_read(tmp_path):
    faults = violations_in_file(file_of(tmp_path, *[BAD_ID] * 3))
    tally = FileTally()
    faults = violations_in_file(tmp_path / "rows.jsonl", "deepfabric", tally)
    assert next(faults).line == 1
    assert tally.rows == 1


@pytest.mark.parametrize(("name", "reason"), [("gone.jsonl", "no such file"), ("", "is a folder")])
def test_what_cannot_be_read_is_refused(tmp_path, name, reason):
    with pytest.raises(OutputError, match=reason):
        list(violations_in_file(tmp_path / name))


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(FormatError, match="known: deepfabric, "):
        list(violations_in_file(file_of(tmp_path, GOOD), "share"))


def test_another_format_is_expected_when_it_is_named(tmp_path):
    faults, _ = found(file_of(tmp_path, GOOD), "openai")
    assert faults == [(1, "OA101", "$.messages[1].tool_calls[0].function.arguments")]
    in_openai = GOOD.replace(b'{"city": "Oslo"}', rb'"{\"city\": \"Oslo\"}"').replace(b"aaaaaaaa1", b"call_1")
    assert found(file_of(tmp_path, in_openai), "openai")[0] == []
    assert {rule for _, rule, _ in found(file_of(tmp_path, in_openai))[0]} == {"DF201", "DF301"}


def test_the_rules_hold_in_openchatml_as_well(tmp_path):
    unanswered = (
        "[BOS]<|im_start|>user\nHi\n<|im_end|>\n"
        '<|im_start|>assistant\n<|function_call|>\n{"arguments":{},"name":"f"}\n<|im_end|>[EOS]'
    )
    faults, _ = found(file_of(tmp_path, orjson.dumps({"text": unanswered}), b'{"text": "Hi"}', b"null"), "openchatml")
    assert faults == [
        (1, "DF402", "$.messages[1].tool_calls[0]"),
        (2, "OC101", "$.text"),
        (3, "OC101", "$"),
    ]


def rendered(fmt, conversation):
    """The record, or None when the format refuses the conversation."""
    with suppress(CannotCarryError):
        return fmt.render(conversation)


@given(conversation=conversations() | requests())
@slow_data
def test_every_rendered_conversation_is_clean_in_its_format(conversation):
    for fmt in FORMATS.values():
        record = rendered(fmt, conversation)
        assert record is None or check_raw(orjson.loads(orjson.dumps(record)), fmt) == [], fmt.name


@given(data=st.data(), conversation=conversations() | requests(), fmt=st.sampled_from(list(FORMATS.values())))
@settings(slow_data, max_examples=examples(150))
def test_anything_is_checked_without_an_exception(data, conversation, fmt):
    check_raw(data.draw(tampered(rendered(fmt, conversation)) | JSON), fmt)


@given(data=st.data(), conversation=conversations() | requests(), fmt=st.sampled_from(list(FORMATS.values())))
@settings(slow_data, max_examples=examples(200))
def test_what_is_clean_can_be_parsed_and_rendered_again(data, conversation, fmt):
    record = data.draw(tampered(rendered(fmt, conversation)))
    if check_raw(record, fmt) == []:
        parsed = fmt.parse(record)
        with suppress(CannotCarryError):  # it may be clean and yet nothing that the format writes
            assert fmt.parse(fmt.render(parsed)) == fmt.carries(parsed)


@every_format
def test_a_system_message_among_the_others_is_a_fault_in_files_of_deepfabric_only(fmt):
    assert ("DF501" in fmt.waives) == (fmt.policy.later_system and not fmt.name.startswith("deepfabric"))


@every_format
def test_only_known_rules_are_waived(fmt):
    assert set(fmt.waives) <= set(RULES)
    assert not {code for code, _ in fmt.faults} & set(RULES)


def test_a_profile_adds_its_limits(tmp_path):
    long = {
        "type": "function",
        "function": {"name": "get.it", "description": "x" * 300, "parameters": {"type": "object"}},
    }
    call = {"id": "abcdefghi", "type": "function", "function": {"name": "get.it", "arguments": {"a": "x" * 3000}}}
    record = {
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "abcdefghi", "content": "y" * 1000},
            {"role": "assistant", "content": "Done."},
        ],
        "tools": [long],
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(record))
    found = {
        (fault.violation.rule, fault.violation.path)
        for fault in violations_in_file(path, profile=PROFILES["character"])
    }
    assert {
        ("LM101", "$.tools[0].function.name"),
        ("LM101", "$.tools[0].function.description"),
        ("LM102", "$.messages[1].tool_calls[0].function.arguments"),
        ("LM103", "$.messages[2].content"),
    } <= found
    assert not any(fault.violation.rule.startswith("PF") for fault in violations_in_file(path))


def function(schema):
    return {"name": "get_time", "description": "The time.", "parameters": schema}


@pytest.mark.parametrize(("name", "rule"), [("responses", "RE104"), ("nemo_gym", "NG102")])
def test_tools_of_chat_completions_are_none_of_the_responses_api(name, rule):
    def faults(tool):
        asked = {"input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
        asked["tools"] = [tool]
        return [
            f.rule for f in check_raw({"responses_create_params": asked} if rule == "NG102" else asked, FORMATS[name])
        ]

    assert faults({"type": "function", "function": function({"type": "object"})}) == [rule]
    assert faults({"type": "function", **function({"type": "object"})}) == []


def test_a_prompt_for_reinforcement_learning_needs_no_answer(tmp_path):
    prompt = json.dumps({"responses_create_params": {"input": [{"role": "user", "content": "Hi"}]}}).encode()
    faults, tally = found(file_of(tmp_path, prompt), "nemo_gym")
    assert (faults, dict(tally.told)) == ([], {})


def test_calls_that_end_a_record_are_told_with_the_option_that_allows_them():
    def words(messages):
        return [f.message for f in check_raw({"messages": messages}, FORMATS["deepfabric"]) if f.rule == "DF402"]

    assert "--unrolled" in words(RECORD["messages"][:2])[0]
    assert "--unrolled" not in words([*RECORD["messages"][:2], RECORD["messages"][0], RECORD["messages"][3]])[0]
    assert check_raw({"messages": RECORD["messages"][:2]}, FORMATS["deepfabric"], unrolled=True) == []
