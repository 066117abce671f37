"""`init`: a first recipe for one's own tools."""

import json
from pathlib import Path

import pytest
from command import Command

MODULE = '''
def add_customer(name: str) -> dict:
    """Add a customer."""
    return {"name": name}


def delete_customer(id: int) -> bool:
    """Delete a customer."""
    return True
'''


@pytest.mark.parametrize(
    ("file", "message"), [(".", "is a folder; a tool spec file is expected"), ("none.json", "there is no file ")]
)
def test_what_holds_no_tools_is_named_as_it_was_given(cli: Command, tmp_path: Path, file: str, message: str) -> None:
    done = cli("init", tmp_path / "mine", "--tools", file)
    assert done.code == 2
    assert message in done.err
    assert "recipe.yaml" not in done.err
    assert not (tmp_path / "mine").exists()


def test_functions_that_run_need_no_entity_behind_what_was_derived_of_their_results(
    cli: Command, tmp_path: Path
) -> None:
    (tmp_path / "customers.py").write_text(MODULE)
    done = cli("init", tmp_path / "mine", "--tools", tmp_path / "customers.py")
    assert (done.code, done.err) == (0, "")
    made = cli("run", tmp_path / "mine" / "recipe.yaml", "--rows", 8, "--quiet", "--out", tmp_path / "rows")
    assert (made.code, made.err) == (0, "")
    rows = [
        json.loads(line)
        for path in (tmp_path / "rows").glob("openai.*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert {tool["function"]["name"] for row in rows for tool in row["tools"]} == {"add_customer", "delete_customer"}
    assert any(
        '"name": "' in message["content"] for row in rows for message in row["messages"] if message["role"] == "tool"
    )


def test_tools_that_rows_would_not_have_are_named(cli: Command, tmp_path: Path) -> None:
    text = {"type": "string"}
    called = {"get_weather": "Get the weather of a city.", "send_note": "Send a note."}
    tools = [
        {"name": name, "description": about, "parameters": {"type": "object", "properties": {"city": text}}}
        for name, about in called.items()
    ]
    (tmp_path / "mine.json").write_text(json.dumps(tools))
    done = cli("init", tmp_path / "mine", "--tools", tmp_path / "mine.json")
    assert done.code == 0
    run = cli("run", tmp_path / "mine" / "recipe.yaml", "--rows", 2, "--out", tmp_path / "rows")
    named = [line for line in run.err.splitlines() if "is left out: it needs an author" in line]
    assert named
    assert all(line in done.err for line in named)
