""" "JSON Format for LLM Tools", section by section, as its user works with it."""

import base64
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from command import Command
from llm_server import fake_server, obliging, purpose
from tiny_run import TOOLS

from generator.core.files import shipped

SAMPLE = """\
{
  "version": "1.0",
  "model_prompt": "{{variable name 1}}: {{variable name 2}}; {{variable name 3}}",
  "metadata": {
    "prompt_name": "string",
    "description": "what it does",
    "usage_notes": "string",
    "model_version": ["string", "other"],
    "creator": {
      "name": "string",
      "email": "string",
      "organization": "string"
    },
    "parameters": {
      "temperature": 0.70,
      "max_tokens": 100,
      "top_p": 1.0,
      "frequency_penalty": -0.5,
      "presence_penalty": 0
    },
    "variables": [
      {
        "name": "variable name 1",
        "type": "text",
        "description": "string",
        "default": "string"
      },
      {
        "name": "variable name 2",
        "type": "single-select",
        "description": "string",
        "default": "value1",
        "allowed_values": ["value1", "value2", "value3"]
      },
      {
        "name": "variable name 3",
        "type": "multi-select",
        "description": "string",
        "default": ["value1", "value2"],
        "allowed_values": ["value1", "value2", "value3"]
      }
    ],
    "expected_output": {
      "type": "limited",
      "format": "JSON",
      "language": "Python",
      "allowed_values": ["string1", "string2"]
    },
    "avatar_type": "url",
    "avatar": "https://example.com/icon.png",
    "timestamp": "2026-03-14T12:00:00Z"
  }
}
"""
"""The format's own sample, with values for its `...`, and the comma that it misses."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sample.portable.json"
    path.write_text(SAMPLE)
    return path


def png(width: int, height: int) -> str:
    return base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\0" * 8).decode()


def with_metadata(path: Path, **metadata: Any) -> Path:
    value = json.loads(SAMPLE)
    value["metadata"] |= metadata
    value["metadata"] = {key: part for key, part in value["metadata"].items() if part is not None}
    path.write_text(json.dumps(value))
    return path


class TestIntroduction:
    def test_a_prompt_is_shared_without_a_loss(self, cli: Command, file: Path, tmp_path: Path):
        """Read and written, through our own language too, it is the same bytes: icon, notes, version, time and all."""
        copy, ours, again = tmp_path / "copy.portable.json", tmp_path / "tool.yaml", tmp_path / "again.portable.json"
        for end, mark in (("\n", ""), ("\r\n", "\ufeff")):
            file.write_bytes((mark + SAMPLE.replace("\n", end)).encode())
            for source, target in ((file, copy), (file, ours), (ours, again)):
                assert cli("tools", "read", source, "--write", target).code == 0
            assert copy.read_bytes() == again.read_bytes() == file.read_bytes()

    def test_what_is_changed_is_changed_and_nothing_else(self, cli: Command, file: Path, tmp_path: Path):
        ours, again = tmp_path / "tool.yaml", tmp_path / "again.portable.json"
        assert cli("tools", "read", file, "--write", ours).code == 0
        saved = ours.read_text()
        ours.write_text(saved.replace("      what it does\n", "      what it really does\n", 1))
        assert ours.read_text() != saved
        assert cli("tools", "read", ours, "--write", again).code == 0
        assert again.read_text() == SAMPLE.replace("what it does", "what it really does")

    def test_a_change_that_makes_the_prompt_wrong_is_refused(self, cli: Command, file: Path, tmp_path: Path):
        ours, again = tmp_path / "tool.json", tmp_path / "again.portable.json"
        assert cli("tools", "read", file, "--write", ours).code == 0
        saved = json.loads(ours.read_text())
        del saved["tools"][0]["function"]["parameters"]["properties"]["variable name 1"]
        ours.write_text(json.dumps(saved))
        done = cli("tools", "read", ours, "--write", again)
        assert (done.code, again.exists()) == (2, False)
        assert "{{variable name 1}} is no variable" in done.err

    def test_a_prompt_is_a_tool(self, cli: Command, file: Path, tmp_path: Path):
        ours = tmp_path / "tool.json"
        assert cli("tools", "read", file, "--write", ours).code == 0
        (tool,) = json.loads(ours.read_text())["tools"]
        assert tool["function"]["description"] == "what it does\n\nstring"
        properties = tool["function"]["parameters"]["properties"]
        assert [part.get("type") for part in properties.values()] == ["string", "string", "array"]
        assert tool["returns"] == {"type": "string", "enum": ["string1", "string2"]}


class TestSpecification:
    def test_every_field_of_the_sample_is_read(self, cli: Command, file: Path):
        done = cli("prompt", "check", file)
        assert done.code == 0
        for words in ("string, version 1.0", "3 variables", "for string or other", "by string", "of 2026-03-14T12:00"):
            assert words in done.out

    @pytest.mark.parametrize(
        ("right", "wrong", "told"),
        [
            ('"value2"],', '"value2"]', r":40:9: not valid JSON: Expecting ',' delimiter"),
            ('"default": "string"\n', '"default": "string",\n', r":2[67]:\d+: not valid JSON"),
            ('"creator"', '"author"', r":9: metadata\.author: unknown key"),
        ],
    )
    def test_a_file_that_is_not_of_the_format(self, cli: Command, file: Path, right: str, wrong: str, told: str):
        """The missing comma and the comma too many of the printed sample are told where they are."""
        file.write_text(SAMPLE.replace(right, wrong, 1))
        done = cli("prompt", "check", file)
        assert done.code == 1
        assert re.search(told, done.out)

    def test_a_version_is_text_or_a_whole_number(self, cli: Command, file: Path):
        for version, code in (('"1.0"', 0), ("3", 0), ("1.0", 1), ("true", 1)):
            file.write_text(SAMPLE.replace('"1.0"', version, 1))
            assert cli("prompt", "check", file).code == code


class TestFields:
    def test_model_prompt_and_variables(self, cli: Command, file: Path):
        assert cli("prompt", "render", file).out == "string: value1; value1, value2\n"
        values = ["--set", "variable name 1={{variable name 2}} a=b", "--set", "variable name 3=value3"]
        assert cli("prompt", "render", file, *values).out == "{{variable name 2}} a=b: value1; value3\n"
        several = [*values, "--set", "variable name 3=value1"]
        assert cli("prompt", "render", file, *several).out == "{{variable name 2}} a=b: value1; value3, value1\n"

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("variable name 2=value4", "'value4' is not allowed (allowed: 'value1', 'value2', 'value3')"),
            ("variable name 3=value4", "'value4' is not allowed"),
            ("variable name=x", "there is no variable 'variable name' (did you mean"),
            ("variable name 1", "NAME=VALUE is expected"),
        ],
    )
    def test_values_that_a_variable_cannot_have(self, cli: Command, file: Path, given: str, told: str):
        done = cli("prompt", "render", file, "--set", given)
        assert (done.code, done.out) == (2, "")
        assert told in done.err

    def test_a_variable_without_a_default_needs_a_value(self, cli: Command, file: Path):
        file.write_text(SAMPLE.replace(',\n        "default": "string"', "", 1))
        assert "a value is needed for variable name 1" in cli("prompt", "check", file).out
        done = cli("prompt", "render", file)
        assert (done.code, "'variable name 1' has no value and no default" in done.err) == (2, True)
        twice = ["--set", "variable name 1=a", "--set", "variable name 1=b"]
        assert "has a value already" in cli("prompt", "render", file, *twice).err

    def test_model_version_and_parameters_are_in_the_request(self, cli: Command, file: Path):
        asked = json.loads(cli("prompt", "render", file, "--request").out)
        assert asked == {
            "model": "string",
            "messages": [{"role": "user", "content": "string: value1; value1, value2"}],
            **json.loads(SAMPLE)["metadata"]["parameters"],
        }
        assert json.loads(cli("prompt", "render", file, "--request", "--model", "mine").out)["model"] == "mine"

    @pytest.mark.parametrize(
        ("versions", "asked_for"), [(["gpt-4", "some"], "some"), ("gpt-4", "gpt-4"), (["a/b", "c"], "a/b")]
    )
    def test_they_reach_the_model_when_a_prompt_drives_a_run(
        self, cli: Command, tmp_path: Path, versions: Any, asked_for: str
    ):
        judge = json.loads((shipped("tool_specs") / "prompts" / "judge.portable.json").read_text())
        parameters = {"temperature": 0.25, "max_tokens": 77, "top_p": 0.5, "frequency_penalty": 1.5}
        judge["metadata"] |= {"model_version": versions, "parameters": parameters}
        (tmp_path / "prompts").mkdir()
        (tmp_path / "prompts" / "judge.portable.json").write_text(json.dumps(judge))
        (tmp_path / "tools.yaml").write_text(TOOLS)
        recipe = tmp_path / "r.yaml"
        with fake_server(reply=obliging) as server:
            recipe.write_text(
                "name: r\nrows: 2\ntools: [tools.yaml]\nscenarios: [single]\njudge: {threshold: 2}\narguments: {source: llm}\n"
                f'llm: {{model: openai/some, api_base: "{server.base}", prompts: prompts, temperature: 0.9}}\n'
            )
            done = cli("run", recipe, "--out", tmp_path / "out")
            assert done.code == 0, done.err
            for asked in server.asked:
                if purpose(asked) == "judge":
                    assert asked["model"] == asked_for
                    assert {name: asked.get(name) for name in (*parameters, "presence_penalty")} == {
                        **parameters,
                        "presence_penalty": None,
                    }
                else:
                    assert (asked["model"], asked["temperature"]) == ("some", 0.9)
                    assert "top_p" not in asked
            assert {purpose(asked) for asked in server.asked} == {"arguments", "judge"}

    def test_a_budget_in_dollars_holds_for_the_model_that_a_prompt_names(self, cli: Command, tmp_path: Path):
        judge = json.loads((shipped("tool_specs") / "prompts" / "judge.portable.json").read_text())
        judge["metadata"]["model_version"] = "another"
        (tmp_path / "judge.portable.json").write_text(json.dumps(judge))
        (tmp_path / "tools.yaml").write_text(TOOLS)
        recipe = tmp_path / "r.yaml"
        with fake_server(reply=obliging) as server:
            recipe.write_text(
                "name: r\nrows: 2\ntools: [tools.yaml]\nscenarios: [single]\njudge: {threshold: 2}\n"
                f'llm: {{model: openai/some, api_base: "{server.base}", prompts: ., '
                "budget: {usd: 5}, price: {input: 1, output: 1}}\n"
            )
            done = cli("run", recipe, "--out", tmp_path / "out")
            assert (done.code, server.asked) == (2, [])
            assert "nobody knows what openai/another costs" in done.err
            recipe.write_text(
                recipe.read_text().replace("openai/some", "local").replace(f'api_base: "{server.base}", ', "")
            )
            done = cli("run", recipe, "--out", tmp_path / "local", "--dry-run")
            assert (done.code, "a prompt is made for another (its model_version)" in done.err) == (2, True)

    def test_creator(self, cli: Command, file: Path):
        assert ", by Ada," in cli("prompt", "check", with_metadata(file, creator={"name": "Ada"})).out
        done = cli("prompt", "check", with_metadata(file, creator={"nam": "Ada"}))
        assert (done.code, 'metadata.creator.nam: unknown key (did you mean "name"?)' in done.out) == (1, True)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("temperature", 2.5),
            ("max_tokens", 1.5),
            ("top_p", 1.1),
            ("frequency_penalty", "low"),
            ("presence_penalty", -2.1),
        ],
    )
    def test_parameters(self, cli: Command, file: Path, name: str, value: Any):
        done = cli("prompt", "check", with_metadata(file, parameters={name: value}))
        assert (done.code, f"metadata.parameters.{name}: " in done.out) == (1, True)

    @pytest.mark.parametrize(("time", "code"), [("2026-03-14", 0), ("2026-03-14T12:00:00+02:00", 0), ("today", 1)])
    def test_timestamp(self, cli: Command, file: Path, time: str, code: int):
        assert cli("prompt", "check", with_metadata(file, timestamp=time)).code == code

    def test_expected_output(self, cli: Command, file: Path):
        told = cli("prompt", "check", file).out
        assert "a language is for the type 'code', not 'limited'" in told
        wrong = with_metadata(file, expected_output={"type": "limited"})
        assert "'limited' needs allowed_values" in cli("prompt", "check", wrong).out
        plain = with_metadata(file, expected_output={"type": "code", "language": "Python"})
        assert cli("prompt", "check", plain).out.count("\n") == 1

    @pytest.mark.parametrize("nested", [False, True])
    def test_avatar(self, cli: Command, file: Path, nested: bool):
        for kind, avatar, told in (
            ("url", "https://example.com/icon.png", ""),
            ("base64", png(256, 256), ""),
            ("base64", png(64, 32), "the icon has 64 × 32 pixels; 256 × 256 are recommended"),
            ("url", "icon.png", "a http or https URL is expected"),
            ("base64", "icon.png", "not base64"),
        ):
            icon: dict[str, Any] = {"avatar_type": kind, "avatar": avatar}
            done = cli(
                "prompt", "check", with_metadata(file, **({"avatar_type": None, "avatar": icon} if nested else icon))
            )
            assert done.code == ("expected" in told or "not" in told)
            assert told in done.out

    def test_the_optional_fields_may_be_missing(self, cli: Command, file: Path):
        file.write_text('{"model_prompt": "Say hello.", "metadata": {}}')
        assert cli("prompt", "check", file).out == f"{file}: a prompt without a name, 0 variables\n"
        assert cli("prompt", "render", file).out == "Say hello.\n"

    def test_a_file_that_is_not_there(self, cli: Command, file: Path):
        done = cli("prompt", "check", file, file.with_name("nothing.portable.json"))
        assert done.code == 2
        assert "there is no such file" in done.out
        assert f"{file}: string" in done.out
