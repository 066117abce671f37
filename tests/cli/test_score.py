"""`score`: what it compares, says and returns."""

import json
from pathlib import Path

import pytest
from command import Command


@pytest.fixture
def asked(cli: Command, recipe: Path) -> tuple[Path, list[dict]]:
    """An evaluation file of 12 items, and its records."""
    cli("run", recipe, "--quiet", "--format", "eval")
    path = Path("outputs/tiny/eval.jsonl")
    return path, [json.loads(line) for line in path.read_text().splitlines()]


def as_message(answer: dict) -> dict:
    calls = [
        {"type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}}
        for c in answer["calls"]
    ]
    return {"role": "assistant", "content": answer["content"], "tool_calls": calls}


def write(values: list) -> Path:
    path = Path("answers.jsonl")
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return path


def test_right_answers_are_all_right_in_any_shape_and_order(cli: Command, asked):
    path, records = asked
    answers = [as_message(record["answer"]) for record in records]
    ran = cli("score", path, write(answers), "--fail-under", 100)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "12 items of 12 exactly right"
    named = [{"id": record["id"], "completion": said} for record, said in zip(records, answers, strict=True)]
    assert json.loads(cli("score", path, write(named[::-1]), "--json").out)["overall"]["exact"] == 12


def test_what_is_wrong_is_counted_by_scenario_and_tool(cli: Command, asked):
    path, records = asked
    answers = [as_message(record["answer"]) for record in records]
    for said in answers:
        if len(said["tool_calls"]) == 2:
            said["tool_calls"].pop()
    answers[-1] = "<tool_call>"
    ran = cli("score", path, write(answers), "--json", "--fail-under", 60)
    found = json.loads(ran.out)
    assert (ran.code, ran.err) == (1, "58.3 % are exactly right, at least 60 % are wanted\n")
    assert found["scenarios"] == {"mixed": found["overall"]}
    assert [found["overall"][key] for key in ("items", "readable", "exact")] == [12, 11, 7]
    assert {name: part["exact"] for name, part in found["tools"].items()} == {"find_orders": 0, "cancel_order": 4}
    assert (found["no_calls"]["exact"], found["calls"]["reward"]) == (3, 4 * 0.5 + 4)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (["x"] * 11, "fewer answers than"),
        (["x"] * 13, "more answers than"),
        ([{"id": "1", "completion": "x"}], "no answer to the row with the id"),
    ],
)
def test_answers_that_do_not_fit_the_rows_are_2(cli: Command, asked, answers, words):
    ran = cli("score", asked[0], write(answers))
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_a_file_that_is_none_of_the_format_is_2(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text('{"messages": []}\n')
    ran = cli("score", "rows.jsonl", write(["x"]))
    assert ran.code == 2
    assert ran.err.startswith("rows.jsonl:1 (answered in answers.jsonl:1): the answer is not that of an `eval` record")
    assert (
        cli("score", "rows.jsonl", write(["x"]), "--format", "qwem").err
        == '--format qwem: unknown text format (did you mean "qwen"?)\n'
    )
