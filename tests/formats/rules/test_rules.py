"""Every rule: what it catches and where, what it lets pass, and that nothing makes it raise."""

import copy
import json
import re

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import JSON, conversations, tampered

from generator.formats import rules
from generator.formats.rows.deepfabric import render
from generator.formats.rules import RULES, check_record, examine

slow_data = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)

SERVER_EXAMPLE = json.loads("""
{
  "messages": [
    {"role": "user", "content": "Check the server status and email the logs to admin."},
    {"role": "assistant", "tool_calls": [
      {"id": "callA1b2C", "type": "function",
       "function": {"name": "check_status", "arguments": {"target": "server_01"}}},
      {"id": "callX9y8Z", "type": "function",
       "function": {"name": "send_email", "arguments": {"recipient": "admin@deepfabric.io"}}}
    ]},
    {"role": "tool", "tool_call_id": "callA1b2C", "name": "check_status",
     "content": "{\\"status\\": \\"online\\", \\"uptime\\": \\"99.9%\\"}"},
    {"role": "tool", "tool_call_id": "callX9y8Z", "name": "send_email",
     "content": "{\\"sent\\": true, \\"timestamp\\": \\"12:00:01\\"}"},
    {"role": "assistant", "content": "The server is online (99.9% uptime), and I have emailed the logs to the admin."}
  ]
}
""")
"""The worked example of the DeepFabric data format."""


def tool(name, **parameters):
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def call(call_id, name, arguments):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(call_id, name):
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": "{}"}


RECORD = {
    "messages": [
        {"role": "system", "content": "Today is 1 March 2026."},
        {"role": "user", "content": "Find a flight to Oslo and the weather there."},
        {
            "role": "assistant",
            "tool_calls": [
                call("aaaaaaaa1", "find_flight", {"to": "OSL", "date": "2026-03-02"}),
                call("aaaaaaaa2", "get_weather", {"city": "Oslo"}),
            ],
        },
        result("aaaaaaaa1", "find_flight"),
        result("aaaaaaaa2", "get_weather"),
        {"role": "assistant", "content": None, "tool_calls": [call("aaaaaaaa3", "get_weather", {"city": "Rome"})]},
        result("aaaaaaaa3", "get_weather"),
        {"role": "assistant", "content": "It is fine in both."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "You are welcome."},
    ],
    "tools": [
        tool(
            "find_flight",
            type="object",
            properties={
                "to": {"type": "string"},
                "date": {"type": "string", "format": "date"},
                "bags": {"type": "array", "items": {"type": "object", "properties": {"kg/each": {"maximum": 30}}}},
            },
            required=["to"],
            additionalProperties=False,
        ),
        tool("get_weather", type="object", properties={"city": {"type": "string"}}),
        {"type": "function", "function": {"name": "get_time"}},
    ],
}

MESSAGE, CALL, ARGUMENTS = (
    "$.messages[2]",
    "$.messages[2].tool_calls[0]",
    "$.messages[2].tool_calls[0].function.arguments",
)
ABSENT = object()

FAULTS = [
    # code, what is put where, the path that is reported (the same place unless said otherwise)
    ("DF101", "$.messages", ABSENT),
    ("DF101", "$.messages", {}),
    ("DF101", "$.messages", []),
    ("DF101", "$.tools", {}),
    ("DF102", "$.messages[8]", "Thanks."),
    ("DF102", "$.messages[8].role", "human"),
    ("DF102", "$.messages[8].role", ABSENT),
    ("DF102", "$.messages[8].role", []),
    ("DF103", "$.messages[0].content", None),
    ("DF103", "$.messages[1].content", ABSENT),
    ("DF103", "$.messages[1].content", [{"type": "text", "text": "Hi"}]),
    ("DF104", "$.messages[7].content", ABSENT),
    ("DF104", "$.messages[7].content", None),
    ("DF104", "$.messages[2].content", 3),
    ("DF105", "$.messages[1].name", ""),
    ("DF105", "$.messages[3].name", 7),
    ("DF106", "$.messages[1].tool_calls", []),
    ("DF106", "$.messages[3].tool_calls", [call("aaaaaaaa9", "get_time", {})]),
    ("DF107", "$.messages[9].tool_calls", []),
    ("DF107", "$.messages[9].tool_calls", {}),
    ("DF108", "$.messages[2].tool_calls[0].function", "find_flight"),
    ("DF109", f"{CALL}.type", ABSENT),
    ("DF109", f"{CALL}.type", "tool"),
    ("DF110", f"{CALL}.function.name", ""),
    ("DF110", f"{CALL}.function.name", None),
    ("DF201", ARGUMENTS, '{"to": "OSL"}'),
    ("DF201", ARGUMENTS, ABSENT),
    ("DF202", f"{ARGUMENTS}.to", 3),
    ("DF202", f"{ARGUMENTS}.date", "2026-02-30"),
    ("DF202", f"{ARGUMENTS}.class", "first", ARGUMENTS),
    ("DF202", f"{ARGUMENTS}.to", ABSENT, ARGUMENTS),
    ("DF202", f"{ARGUMENTS}.bags", [{}, {"kg/each": 31}], f'{ARGUMENTS}.bags[1]["kg/each"]'),
    ("DF202", "$.tools[0].function.parameters", ABSENT, ARGUMENTS),
    ("DF301", f"{CALL}.id", "call_1"),
    ("DF301", f"{CALL}.id", "aaaaaaaa1\n"),
    ("DF301", f"{CALL}.id", "aaaaaaaä1"),
    ("DF301", f"{CALL}.id", "aaaaaaaa１"),
    ("DF301", f"{CALL}.id", "aaaaaaaaa1"),
    ("DF301", f"{CALL}.id", ABSENT),
    ("DF301", f"{CALL}.id", 123456789),
    ("DF302", "$.messages[2].tool_calls[1].id", "aaaaaaaa1"),
    ("DF302", "$.messages[5].tool_calls[0].id", "aaaaaaaa1"),
    ("DF401", "$.messages[3].tool_call_id", ABSENT),
    ("DF401", "$.messages[3].tool_call_id", None),
    ("DF401", "$.messages[3].tool_call_id", "zzzzzzzzz"),
    ("DF401", "$.messages[3].tool_call_id", "aaaaaaaa3"),
    ("DF401", "$.messages[6].tool_call_id", "aaaaaaaa1"),
    ("DF402", "$.messages[3].tool_call_id", "aaaaaaaa2", "$.messages[4].tool_call_id"),
    ("DF402", "$.messages[3].tool_call_id", "aaaaaaaa2", CALL),
    ("DF402", "$.messages[3]", ABSENT, CALL),
    ("DF402", "$.messages[9].tool_calls", [call("aaaaaaaa9", "get_time", {})], "$.messages[9].tool_calls[0]"),
    ("DF403", "$.messages[3].content", {"flights": []}),
    ("DF403", "$.messages[3].content", None),
    ("DF403", "$.messages[3].content", ABSENT),
    ("DF404", "$.messages[3].name", "get_weather"),
    ("DF501", "$.messages[8].role", "system", "$.messages[8]"),
    ("DF502", "$.messages[1]", ABSENT, "$.messages[1]"),
    ("DF503", "$.messages[8]", result("aaaaaaaa3", "get_weather")),
    ("DF503", "$.messages[2]", ABSENT, "$.messages[2]"),
    ("DF504", "$.messages[7]", {"role": "user", "content": "And?"}, "$.messages[8]"),
    ("DF504", "$.messages[8]", ABSENT, "$.messages[8]"),
    ("DF505", "$.messages[7]", ABSENT, "$.messages[7]"),
    ("DF506", "$.messages[9]", ABSENT, "$.messages[8]"),
    ("DF601", "$.tools[2]", "get_time"),
    ("DF601", "$.tools[2].type", ABSENT),
    ("DF601", "$.tools[2].function", None),
    ("DF601", "$.tools[2].function.name", ""),
    ("DF601", "$.tools[2].function.description", 3),
    ("DF601", "$.tools[2].function.parameters", []),
    ("DF601", "$.tools[2].function.strict", "yes"),
    ("DF602", "$.tools[2].function.name", "get_weather"),
    ("DF602", "$.tools[2]", RECORD["tools"][1], "$.tools[2].function.name"),
    ("DF603", "$.tools[1]", ABSENT, "$.messages[2].tool_calls[1].function.name"),
    ("DF603", "$.tools", [], f"{CALL}.function.name"),
    ("DF604", "$.tools[0].function.parameters.type", "dict"),
    (
        "DF604",
        "$.tools[0].function.parameters.properties.to",
        {"pattern": "("},
        "$.tools[0].function.parameters.properties.to.pattern",
    ),
    ("DF604", "$.tools[2].function.parameters", {"$ref": "http://127.0.0.1:9/schema"}),
    ("DF604", "$.tools[2].function.parameters", {"$ref": "file:///etc/hostname"}),
]

SOUND = [
    # what is put where without breaking a rule
    ("$.tools", ABSENT),
    ("$.tools", None),
    ("$.messages[0]", ABSENT),
    ("$.messages[2].content", ""),
    ("$.messages[2].content", "Let me look."),
    ("$.messages[5].content", ABSENT),
    ("$.messages[3].name", ABSENT),
    ("$.messages[3].name", None),
    ("$.messages[1].tool_calls", None),
    ("$.messages[7].tool_calls", None),
    ("$.messages[1].name", "Ada"),
    ("$.messages[7].weight", 0),
    ("$.tools[2].function.parameters", {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}),
]


def changed(path, value):
    """RECORD with `value` at `path`."""
    record = copy.deepcopy(RECORD)
    *parents, last = [int(step) if step.isdecimal() else step for step in re.findall(r"[\w/]+", path)]
    holder = record
    for step in parents:
        holder = holder[step]
    if value is ABSENT:
        del holder[last]
    else:
        holder[last] = copy.deepcopy(value)
    return record


def test_the_worked_example_of_the_format_passes():
    assert check_record(SERVER_EXAMPLE) == []


def test_the_record_that_the_faults_are_put_into_is_clean():
    assert check_record(RECORD) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault[0]} {fault[1]}")
def test_a_fault_is_found_where_it_is(fault):
    code, place, value, *reported = fault
    violations = check_record(changed(place, value))
    assert (code, reported[0] if reported else place) in {(v.rule, v.path) for v in violations}


@pytest.mark.parametrize(("place", "value"), SOUND)
def test_what_is_allowed_passes(place, value):
    assert check_record(changed(place, value)) == []


def test_every_rule_has_a_fault_that_it_catches():
    assert {fault[0] for fault in FAULTS} == set(RULES)


def test_results_may_come_in_any_order():
    record = copy.deepcopy(RECORD)
    record["messages"][3:5] = reversed(record["messages"][3:5])
    assert check_record(record) == []


def test_a_result_that_comes_a_turn_late_answers_nothing():
    record = copy.deepcopy(RECORD)
    record["messages"].insert(5, record["messages"].pop(3))
    assert {(v.rule, v.path) for v in check_record(record)} == {
        ("DF402", CALL),
        ("DF401", "$.messages[5].tool_call_id"),
    }


@pytest.mark.parametrize("call_id", ["", "call_1", "aaaaaaaaa1", "aaaa-aaa1", "aaaaaaaä1", "aaaaaaaa１", "aaaaaaaa\n"])
def test_a_wrong_id_is_wrong_even_if_the_result_has_it_too(call_id):
    record = changed(f"{CALL}.id", call_id)
    record["messages"][3]["tool_call_id"] = call_id
    assert [(v.rule, v.path) for v in check_record(record)] == [("DF301", f"{CALL}.id")]


def test_every_fault_of_a_record_is_reported():
    record = changed(f"{CALL}.id", "short")
    record["messages"][2]["tool_calls"][1]["type"] = "tool"
    record["messages"][4]["content"] = 3
    found = {(violation.rule, violation.path) for violation in check_record(record)}
    assert found == {
        ("DF301", f"{CALL}.id"),
        ("DF402", CALL),
        ("DF401", "$.messages[3].tool_call_id"),
        ("DF109", "$.messages[2].tool_calls[1].type"),
        ("DF403", "$.messages[4].content"),
    }


def test_rules_can_be_waived():
    record = changed(f"{CALL}.id", "short")
    assert {v.rule for v in check_record(record, ("DF301", "DF401"))} == {"DF402"}


def test_calls_of_one_id_are_told_one_by_one():
    record = changed("$.messages[2].tool_calls[1].id", "aaaaaaaa1")
    del record["messages"][3:5]
    unanswered = {v.path for v in check_record(record) if v.rule == "DF402"}
    assert unanswered == {CALL, "$.messages[2].tool_calls[1]"}


@pytest.mark.parametrize("record", [None, True, 3, "text", [], [RECORD], {}, {"messages": None}])
def test_what_is_no_record_is_one_fault(record):
    assert [violation.rule for violation in check_record(record)] == ["DF101"]


def test_messages_show_nothing_that_a_terminal_obeys():
    record = changed(f"{CALL}.id", "\x1b[31mred\x9b")
    record["messages"][2]["tool_calls"][1]["function"]["arguments"] = {"city": 3, "\x1b[2J": "\x07"}
    record["tools"][1]["function"]["parameters"]["additionalProperties"] = False
    violations = check_record(record)
    assert {"DF301", "DF202"} <= {violation.rule for violation in violations}
    assert all((violation.message + violation.path).isprintable() for violation in violations)


def test_a_schema_never_reads_a_file(tmp_path):
    elsewhere = tmp_path / "schema.json"
    elsewhere.write_text('{"type": "object"}')
    record = changed("$.tools[2].function.parameters", {"$ref": elsewhere.as_uri()})
    assert [(v.rule, v.path) for v in check_record(record)] == [("DF604", "$.tools[2].function.parameters")]


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"properties": value}
    return value


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (f"{ARGUMENTS}", {"to": "\ud800"}),
        (f"{ARGUMENTS}", {"to": "x", "bags": 10**400}),
        (f"{ARGUMENTS}", {"to": "x", "bags": float("nan")}),
        (f"{ARGUMENTS}", {1: 2}),
        (f"{ARGUMENTS}", nested(400)),
        ("$.tools[0].function.parameters", nested(400)),
        ("$.tools[0].function.parameters", {"const": "\ud800"}),
        ("$.tools[0].function.parameters", {"const": 10**400}),
        ("$.tools[0].function.parameters", {"$schema": 3}),
        ("$.tools[0].function.parameters", {"$ref": "#/nowhere"}),
        ("$.tools[0].function.parameters", {"properties": {"to": {"pattern": "("}}}),
    ],
)
def test_values_that_the_schema_library_cannot_take_do_not_raise(place, value):
    found = check_record(changed(place, value))
    assert all(violation.message.isprintable() for violation in found)


@given(conversation=conversations())
@slow_data
def test_right_conversations_pass(conversation):
    assert check_record(render(conversation)) == []


@given(data=st.data(), conversation=conversations())
@settings(slow_data, max_examples=examples(300))
def test_changed_records_are_checked_without_an_exception(data, conversation):
    assert_told_in_full(data.draw(tampered(render(conversation))))


@given(data=st.data(), fault=st.sampled_from(FAULTS))
@slow_data
def test_records_with_several_faults_are_checked_without_an_exception(data, fault):
    assert_told_in_full(data.draw(tampered(changed(fault[1], fault[2]), times=3)))


@given(record=JSON)
@slow_data
def test_any_json_is_checked_without_an_exception(record):
    assert_told_in_full(record)


def assert_told_in_full(record):
    """Every finding is of a rule, in their order, at a place of its own, and can be put into words."""
    found, told = examine(record), check_record(record)
    assert [finding.code for finding in found] == [violation.rule for violation in told]
    codes = [violation.rule for violation in told]
    assert codes == sorted(codes)
    assert set(codes) <= set(RULES)
    assert all(violation.message and violation.message.isprintable() for violation in told)


def test_codes_and_statements_are_in_order():
    assert list(RULES) == sorted(RULES)
    for statement in RULES.values():
        assert statement.endswith(".")
        assert "\n" not in statement


def test_tools_of_one_name_are_each_looked_up_once(monkeypatch):
    looked_up = []
    declared_tool = rules._declared_tool
    monkeypatch.setattr(rules, "_declared_tool", lambda entry: looked_up.append(entry) or declared_tool(entry))
    entries = [{"type": "function", "function": {"name": f"f{i % 20}"}} for i in range(60)]
    findings = examine({"messages": [{"role": "user", "content": "Hi"}], "tools": entries})
    messages = [finding.message for finding in findings if finding.code == "DF602"]
    assert messages == [f"'f{i}' is the name of $.tools[{i}] too" for i in range(20)] * 2
    assert len(looked_up) == len(entries)
