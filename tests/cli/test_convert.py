"""`convert`: what it says and returns."""

import json
from pathlib import Path

import pytest
from command import Command
from made_rows import conversation

from generator.formats import FORMATS


def test_a_whole_file(cli: Command, recipe: Path):
    cli("run", recipe, "--quiet")
    ran = cli("convert", "outputs/tiny/openai.jsonl", "back.jsonl", "--from", "openai", "--to", "trl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "back.jsonl: 4 of 4 rows"
    again = cli("convert", "outputs/tiny/openai.jsonl", "back.jsonl", "--from", "openai", "--to", "trl")
    assert (again.code, again.err) == (2, "back.jsonl: is there already; --overwrite replaces it\n")
    for name in ("proofs.jsonl", "manifest.json"):
        over = cli("convert", "back.jsonl", f"outputs/tiny/{name}", "--from", "trl", "--to", "openai", "--overwrite")
        assert (over.code, over.err) == (
            2,
            f"outputs/tiny/{name}: belongs to the run in outputs/tiny; name another file\n",
        )


def test_rows_that_are_left_out_are_told_and_make_1(cli: Command, recipe: Path):
    cli("run", recipe, "--quiet")
    path = Path("outputs/tiny/openai.jsonl")
    path.write_bytes(path.read_bytes() + b'{"messages": 3}\n')
    ran = cli("convert", path, "out.jsonl", "--from", "openai", "--to", "deepfabric", "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("outputs/tiny/openai.jsonl:5: $.messages: ")
    assert len(Path("out.jsonl").read_bytes().splitlines()) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "in.jsonl: holds no rows, so out.jsonl is not written"),
        ("[]", "in.jsonl: holds no rows, so out.jsonl is not written"),
        ('{"messages": 3}\n' * 30, "in.jsonl: none of its 30 rows could be written, so out.jsonl is not written"),
    ],
)
def test_without_a_row_nothing_is_written(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, words: str
):
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text(content)
    command = ("convert", "in.jsonl", "out.jsonl", "--from", "openai", "--to", "trl")
    ran = cli(*command)
    assert (ran.code, ran.out, ran.err.splitlines()[-1]) == (2, "", words)
    assert not Path("out.jsonl").exists()
    Path("out.jsonl").write_text("before")
    assert cli(*command, "--overwrite").code == 2
    assert Path("out.jsonl").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


def test_an_unknown_format_is_2(cli: Command):
    ran = cli("convert", "a", "b", "--from", "opnai", "--to", "trl")
    assert (ran.code, ran.err) == (2, '--from opnai: unknown format (did you mean "openai"?)\n')


def test_convert_unrolls_anybodys_rows(cli: Command, tmp_path: Path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(FORMATS["openai"].render(conversation())) + "\n")
    ran = cli("convert", source, target, "--from", "openai", "--to", "mistral", "--unrolled")
    assert ran.code == 0
    weights = [
        [m["weight"] for m in json.loads(line)["messages"] if "weight" in m] for line in target.read_text().splitlines()
    ]
    assert weights == [[], [0, 1], [0, 0, 1]]
    assert cli("validate", "--format", "mistral", target).code == 1
    assert cli("validate", "--format", "mistral", "--unrolled", target).code == 0
