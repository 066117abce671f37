"""`tools read`: the table, exit codes, and what it saves."""

import json
from pathlib import Path

import msgspec
import pytest
from command import Command

from generator.core.portable import read_prompt
from generator.tools.specs import load_toolbox, overlay_files

MCP = [
    {
        "name": "get.weather",
        "title": "Weather",
        "description": "Look it up.",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "enum": ["Oslo", "1e3", "yes"]}}},
        "annotations": {"readOnlyHint": True},
    }
]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "server.json"
    path.write_text(json.dumps(MCP))
    return path


def test_a_table_of_tools(cli: Command, dump: Path):
    done = cli("tools", "read", str(dump), "--profile", "openai")
    assert done.code == 0
    assert done.out.splitlines() == [
        "get_weather  mcp  renamed  its name was 'get.weather'",
        "1 tool: 1 renamed",
    ]


def test_a_refused_tool_is_told_and_exits_1(cli: Command, dump: Path):
    dump.write_text(json.dumps([*MCP, {"name": "bad", "inputSchema": {"type": "any"}}]))
    done = cli("tools", "read", str(dump), "--json")
    assert done.code == 1
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [(line["tool"], line["verdict"]) for line in lines] == [("get.weather", "loaded"), ("bad", "refused")]
    assert "/type: not valid JSON Schema" in lines[1]["reasons"][0]
    assert cli("tools", "read", str(dump), "--on-illegal", "repair").code == 0


def test_a_module_without_tools_is_told_what_is_expected(cli: Command, tmp_path: Path):
    (tmp_path / "listed.py").write_text("tools = []\n")
    done = cli("tools", "read", str(tmp_path / "listed.py"))
    assert "`TOOLS`" in done.out + done.err


def test_a_tool_without_possible_arguments_is_refused(cli: Command, dump: Path):
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": [1]}}, "required": ["a"]}
    dump.write_text(json.dumps([{"name": "impossible", "inputSchema": schema}]))
    done = cli("tools", "read", str(dump))
    assert (done.code, "impossible  mcp  refused" in done.out) == (1, True)


def test_only_so_many_tools_as_a_target_takes(cli: Command, dump: Path):
    dump.write_text(json.dumps([{**MCP[0], "name": f"t{number}"} for number in range(12)]))
    done = cli("tools", "read", str(dump), "--profile", "character")
    assert done.code == 1
    assert done.out.splitlines()[-1] == "12 tools: 10 loaded, 2 refused"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.json"], "there is no such file"),
        (["{dump}", "--profile", "opnai"], 'unknown profile (did you mean "openai"?)'),
        (["{dump}", "--from", "mpc"], "unknown kind 'mpc' (did you mean \"mcp\"?)"),
        (["{dump}", "--write", "x.txt"], "a file that ends in"),
        (["no_such_module", "--from", "functions"], "it cannot be imported"),
    ],
)
def test_bad_input_exits_2_with_one_message(cli: Command, dump: Path, arguments: list[str], words: str):
    done = cli("tools", "read", *[argument.format(dump=dump) for argument in arguments])
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("ending", ["yaml", "json", "jsonl"])
def test_what_is_saved_is_read_again_as_it_was(cli: Command, dump: Path, tmp_path: Path, ending: str):
    target = tmp_path / f"saved.{ending}"
    assert cli("tools", "read", str(dump), "--profile", "openai", "--write", str(target)).code == 0
    (spec,) = load_toolbox([target]).values()
    assert spec.tool.parameters == MCP[0]["inputSchema"]
    assert (spec.name, spec.origin.name, spec.origin.kind) == ("get_weather", "get.weather", "mcp")
    assert spec.origin.annotations == {"readOnlyHint": True}


@pytest.mark.parametrize("file", ["shop.yaml", "banking.json", "travel.yaml"])
def test_what_our_own_language_says_is_kept(cli: Command, tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(overlay_files, "bank_of", lambda _: None)  # what is added to a file is not in it
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = Path(__file__).parents[2] / "tool_specs" / file
    target = tmp_path / f"{source.stem}.yaml"
    assert cli("tools", "read", str(source), "--write", str(target)).code == 0
    before, after = load_toolbox([source]), load_toolbox([target])
    assert list(before) == list(after)
    for name, spec in before.items():
        for field in ("tool", "returns", "links", "phrases", "examples", "kinds", "relations", "effect"):
            assert getattr(spec, field) == getattr(after[name], field)
        entities = {title: msgspec.structs.replace(one, where="") for title, one in spec.declared.entities.items()}
        assert entities == {
            title: msgspec.structs.replace(one, where="") for title, one in after[name].declared.entities.items()
        }
        assert {title: table.rows for title, table in spec.declared.tables.items()} == {
            title: table.rows for title, table in after[name].declared.tables.items()
        }


def test_entities_that_a_file_cannot_hold_are_not_dropped(cli: Command, tmp_path: Path):
    shop = Path(__file__).parents[2] / "tool_specs" / "shop.yaml"
    done = cli("tools", "read", str(shop), "--write", str(tmp_path / "shop.jsonl"))
    assert (done.code, "a file of lines holds tools only" in done.err) == (2, True)
    assert not (tmp_path / "shop.jsonl").exists()


def test_a_prompt_is_saved_and_is_the_same_tool_again(cli: Command, dump: Path, tmp_path: Path):
    target, again = tmp_path / "weather.portable.json", tmp_path / "again.portable.json"
    assert cli("tools", "read", str(dump), "--write", str(target)).code == 0
    prompt = read_prompt(target)
    assert prompt.metadata.variables[0].allowed_values == ["Oslo", "1e3", "yes"]
    assert "{{city}}" in prompt.model_prompt
    assert cli("tools", "read", str(target), "--write", str(again)).code == 0
    assert again.read_text() == target.read_text()


def test_nothing_is_written_when_a_path_cannot_be_read(cli: Command, dump: Path, tmp_path: Path):
    target = tmp_path / "saved.json"
    assert cli("tools", "read", str(dump), "nothing.json", "--write", str(target)).code == 2
    assert not target.exists()


@pytest.mark.parametrize("command", ["'", '"a', "", " "])
def test_a_command_that_is_none_is_told(cli, command):
    ran = cli("tools", "read", command, "--from", "mcp-live")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "command" in ran.err or "names no program" in ran.err


def test_help_says_that_modules_are_executed(cli):
    assert "is executed" in " ".join(cli("tools", "read", "--help").out.split())
