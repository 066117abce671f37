"""Portable JSON prompts: every field of the format, and rendering."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import PromptError
from generator.core.exact_json import same
from generator.core.portable import PortablePrompt, read_prompt, render, rewritten

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 40).decode()
METADATA: dict[str, Any] = {
    "prompt_name": "Name a pet",
    "description": "Finds names.",
    "usage_notes": "For cats.",
    "model_version": ["gpt-4", "gpt-3.5"],
    "creator": {"name": "Ada", "email": "ada@example.com", "organization": "Example"},
    "parameters": {"temperature": 0.7, "max_tokens": 100, "top_p": 1.0, "frequency_penalty": -2, "presence_penalty": 2},
    "variables": [
        {"name": "variable name 1", "type": "text", "description": "A text", "default": "Tom"},
        {
            "name": "variable name 2",
            "type": "single-select",
            "description": "One",
            "default": "value1",
            "allowed_values": ["value1", "value2", "value3"],
        },
        {
            "name": "variable name 3",
            "type": "multi-select",
            "description": "Some",
            "default": ["value1", "value2"],
            "allowed_values": ["value1", "value2", "value3"],
        },
    ],
    "expected_output": {"type": "limited", "format": "JSON", "language": "Python", "allowed_values": ["a", "b"]},
    "avatar_type": "base64",
    "avatar": PNG,
    "timestamp": "2026-03-14T12:00:00Z",
}
SAMPLE = {
    "version": "1.0",
    "model_prompt": "{{variable name 1}}: {{ variable name 2 }}, {{variable name 3}}",
    "metadata": METADATA,
}


def read(folder: Path, value: object) -> PortablePrompt:
    path = folder / "p.portable.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return read_prompt(path)


def refusal(folder: Path, value: object) -> str:
    with pytest.raises(PromptError) as caught:
        read(folder, value)
    return str(caught.value)


class TestFile:
    def test_all_fields(self, tmp_path: Path):
        assert msgspec.to_builtins(read(tmp_path, SAMPLE)) == SAMPLE

    def test_the_formats_own_sample_misses_a_comma(self, tmp_path: Path):
        text = json.dumps(SAMPLE, indent=2)
        broken = re.sub(r'("value1",\s+"value2"\s+\]),(\s+"allowed_values")', r"\1\2", text)
        assert broken != text
        line = next(n for n, line in enumerate(broken.splitlines(), 1) if "allowed_values" in line and n > 40)
        assert (
            refusal(tmp_path, broken)
            == f"{tmp_path / 'p.portable.json'}:{line}:9: not valid JSON: Expecting ',' delimiter"
        )
        assert read(tmp_path, text)

    def test_a_sample_laid_out_as_the_format_shows_it(self, tmp_path: Path):
        """Lists on one line, a comma behind the last key of an object, and the missing comma: each is told at its place."""
        lines = [
            "{",
            '  "version": "1.0",',
            '  "model_prompt": "{{variable name 1}}, {{variable name 3}}",',
            '  "metadata": {',
            '    "variables": [',
            '      {"name": "variable name 1", "type": "text", "description": "A text", "default": "Tom",},',
            "      {",
            '        "name": "variable name 3",',
            '        "type": "multi-select",',
            '        "description": "Some",',
            '        "default": ["value1", "value2"]',
            '        "allowed_values": ["value1", "value2", "value3"]',
            "      }",
            "    ]",
            "  }",
            "}",
        ]
        file = tmp_path / "p.portable.json"
        assert refusal(tmp_path, "\n".join(lines)).startswith(f"{file}:6:93: not valid JSON: ")
        lines[5] = lines[5].replace(",}", "}")
        assert refusal(tmp_path, "\n".join(lines)) == f"{file}:12:9: not valid JSON: Expecting ',' delimiter"
        lines[10] += ","
        prompt = read(tmp_path, "\n".join(lines))
        assert render(prompt, {}) == "Tom, value1, value2"

    def test_little_is_needed(self, tmp_path: Path):
        assert read(tmp_path, {"model_prompt": "Hi {name}", "metadata": {}}).model_prompt == "Hi {name}"

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"model_prompt": ""}, "model_prompt"),
            ({"model_prompt": 3}, "model_prompt: text is expected, not 3"),
            ({"version": 1.5}, "version"),
            ({"metdata": {}}, 'unknown key (did you mean "metadata"?)'),
            ({"model_prompt": "{{nobody}}"}, "{{nobody}} is no variable"),
            ({"metadata": None}, "metadata"),
        ],
    )
    def test_what_is_wrong_at_the_top(self, tmp_path: Path, change: dict[str, Any], words: str):
        assert words in refusal(tmp_path, {**SAMPLE, **change})

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"parameters": {"temperature": 2.1}}, "metadata.parameters.temperature: at most 2 is expected"),
            ({"parameters": {"temperature": "float"}}, "metadata.parameters.temperature: a number is expected"),
            ({"parameters": {"max_tokens": 0}}, "metadata.parameters.max_tokens: at least 1 is expected"),
            ({"parameters": {"max_tokens": 1.5}}, "metadata.parameters.max_tokens: a whole number is expected"),
            ({"parameters": {"top_p": -0.1}}, "top_p"),
            ({"parameters": {"frequency_penalty": 3}}, "frequency_penalty"),
            ({"parameters": {"presence_penalty": -3}}, "presence_penalty"),
            ({"creator": {"nam": "x"}}, 'unknown key (did you mean "name"?)'),
            ({"model_version": 4}, "model_version"),
            ({"timestamp": "yesterday"}, "ISO 8601"),
            ({"expected_output": {"type": "limited", "allowed_values": None}}, "'limited' needs allowed_values"),
            ({"expected_output": {"format": "JSON"}}, "expected_output.type: this key is missing"),
            ({"avatar_type": "png"}, "avatar_type"),
            ({"avatar_type": None}, "avatar and avatar_type belong together"),
            ({"avatar": "%%%"}, "not base64"),
            ({"avatar": base64.b64encode(b"GIMP").decode()}, "not an image"),
            ({"avatar": base64.b64encode(b"\xff\xd8\xff" + b"\0" * (1 << 20)).decode()}, "more than 1,048,576 bytes"),
            ({"avatar_type": "url", "avatar": "javascript:alert(1)"}, "a http or https URL is expected"),
        ],
    )
    def test_what_is_wrong_in_the_metadata(self, tmp_path: Path, change: dict[str, Any], words: str):
        told = refusal(tmp_path, {**SAMPLE, "metadata": {**METADATA, **change}})
        assert words in told
        assert re.match(rf"{tmp_path / 'p.portable.json'}:\d+: metadata", told)

    @pytest.mark.parametrize(
        ("variable", "words"),
        [
            ({"name": "x", "type": "number"}, "type"),
            ({"name": "x", "type": "text", "allowed_values": ["a"]}, "are for single-select and multi-select"),
            ({"name": "x", "type": "single-select"}, "single-select needs allowed_values"),
            ({"name": "x", "type": "single-select", "allowed_values": []}, "allowed_values"),
            ({"name": "x", "type": "single-select", "allowed_values": ["a", "a"]}, "'a' stands here twice"),
            ({"name": "x", "type": "single-select", "allowed_values": ["a"], "default": "b"}, "'b' is not allowed"),
            (
                {"name": "x", "type": "multi-select", "allowed_values": ["a"], "default": "a"},
                "a list of texts is expected",
            ),
            ({"name": "x", "type": "multi-select", "allowed_values": ["a"], "default": ["b"]}, "'b' is not allowed"),
            ({"name": "x", "type": "text", "default": ["a"]}, "text is expected"),
            ({"name": " x", "type": "text"}, "outer spaces"),
            ({"name": "{x}", "type": "text"}, "without braces"),
            ({"type": "text"}, "name: this key is missing"),
        ],
    )
    def test_what_is_wrong_with_a_variable(self, tmp_path: Path, variable: dict[str, Any], words: str):
        assert words in refusal(tmp_path, {"model_prompt": "x", "metadata": {"variables": [variable]}})

    def test_two_variables_of_one_name(self, tmp_path: Path):
        twice = [{"name": "x", "type": "text"}] * 2
        assert "'x' stands here twice" in refusal(tmp_path, {"model_prompt": "x", "metadata": {"variables": twice}})

    @pytest.mark.parametrize("avatar", [PNG, f"data:image/png;base64,{PNG}"])
    def test_pictures_in_the_file(self, tmp_path: Path, avatar: str):
        assert read(tmp_path, {**SAMPLE, "metadata": {**METADATA, "avatar": avatar}})

    @pytest.mark.parametrize(
        ("avatar", "words"),
        [
            ({"avatar_type": "base64", "avatar": PNG}, ""),
            ({"avatar_type": "url", "avatar": "https://example.com/a.png"}, ""),
            ({"avatar_type": "url", "avatar": PNG}, "a http or https URL is expected"),
            ({"avatar_type": "base64"}, "metadata.avatar.avatar: this key is missing"),
            ({"avatar_type": "base64", "avatar": PNG, "size": 3}, "metadata.avatar.size: unknown key"),
        ],
    )
    def test_a_picture_as_an_object(self, tmp_path: Path, avatar: dict[str, Any], words: str):
        metadata = {key: part for key, part in METADATA.items() if key != "avatar_type"}
        sample = {**SAMPLE, "metadata": {**metadata, "avatar": avatar}}
        if not words:
            icon = read(tmp_path, sample).metadata.icon
            assert icon is not None
            assert msgspec.to_builtins(icon) == avatar
        else:
            assert words in refusal(tmp_path, sample)

    def test_a_picture_in_both_ways_at_once(self, tmp_path: Path):
        avatar = {"avatar_type": "base64", "avatar": PNG}
        told = refusal(tmp_path, {**SAMPLE, "metadata": {**METADATA, "avatar": avatar}})
        assert "avatar and avatar_type belong together" in told

    def test_a_picture_elsewhere(self, tmp_path: Path):
        assert read(
            tmp_path, {**SAMPLE, "metadata": {**METADATA, "avatar_type": "url", "avatar": "https://example.com/a.png"}}
        )


class TestRendering:
    def test_defaults_and_values(self, tmp_path: Path):
        prompt = read(tmp_path, SAMPLE)
        assert render(prompt, {}) == "Tom: value1, value1, value2"
        values = {"variable name 1": "{{variable name 2}} {x} \\1", "variable name 3": ["value3"]}
        assert render(prompt, values) == "{{variable name 2}} {x} \\1: value1, value3"

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"variable name": "x"}, "no variable 'variable name' (did you mean \"variable name 3\"?)"),
            ({"variable name 2": "value4"}, "'value4' is not allowed"),
            ({"variable name 3": ["value4"]}, "'value4' is not allowed"),
            ({"variable name 3": "value1"}, "a list of texts is expected"),
            ({"variable name 1": ["x"]}, "text is expected"),
        ],
    )
    def test_what_cannot_be_put_in(self, tmp_path: Path, values: dict[str, Any], words: str):
        with pytest.raises(PromptError) as caught:
            render(read(tmp_path, SAMPLE), values)
        assert words in str(caught.value)

    def test_a_variable_without_value(self, tmp_path: Path):
        prompt = read(tmp_path, {"model_prompt": "{{a}}", "metadata": {"variables": [{"name": "a", "type": "text"}]}})
        with pytest.raises(PromptError, match="'a' has no value and no default"):
            render(prompt, {})

    @given(
        st.text(),
        st.text(st.characters(codec="utf-8", exclude_characters="{}")),
        st.text(st.characters(codec="utf-8", exclude_characters="{}")),
    )
    def test_nothing_else_is_interpreted(self, value: str, before: str, after: str):
        prompt = msgspec.convert(
            {"model_prompt": f"{before}{{{{a}}}}{after}", "metadata": {"variables": [{"name": "a", "type": "text"}]}},
            PortablePrompt,
        )
        assert render(prompt, {"a": value}) == before + value + after


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


class TestRewriting:
    @given(JSON, JSON, st.sampled_from([None, 1, 2, "\t"]), st.booleans(), st.sampled_from(["", "\n"]), st.booleans())
    def test_a_text_gets_another_value_and_keeps_what_is_the_same(
        self, old: Any, new: Any, indent: Any, ascii_only: bool, end: str, mark: bool
    ):
        text = "\ufeff" * mark + json.dumps(old, indent=indent, ensure_ascii=ascii_only) + end
        assert rewritten(text, old) == text
        changed = rewritten(text, new)
        assert same(json.loads(changed.removeprefix("\ufeff")), new)
        assert rewritten(changed, new) == changed

    def test_numbers_escapes_order_and_layout_stay(self):
        text = '{\r\n  "a" : 0.70,\r\n  "b": [1, 2],\r\n\r\n "c": {"x": "\\u00e9", "y": 1e2}\r\n}\r\n'
        assert rewritten(text, {"c": {"x": "é", "y": 100}, "b": [1, 3], "a": 0.7}) == text.replace("2]", "3]")
        assert rewritten(text, {"a": 0.7, "c": {"x": "é", "y": 100}}) == text.replace('\r\n  "b": [1, 2],', "")
