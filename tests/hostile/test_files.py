"""Files that have no end, are no files, or stand for very much: everything that is named in a recipe or read beside it."""

import gzip
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from command import Command, Ran, command
from hostile.limits import within
from nightly import one_in

TOOL = {
    "name": "find",
    "description": "Find.",
    "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
}
RECIPE = "name: r\nrows: 2\ntools: [t.json]\nscenarios: [single]\nformats: [openai]\n"
ROW = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
LONGEST = 60


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.json").write_text(json.dumps([TOOL]))
    (tmp_path / "r.yaml").write_text(RECIPE)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    return tmp_path


ENDLESS = ("pipe", "link", "/dev/zero", "/proc/kmsg", "/dev/tty")
NAMED: dict[str, Callable[[str], str]] = {
    "tools": lambda file: RECIPE.replace("t.json", file),
    "values": lambda file: RECIPE + f'arguments: {{overrides: {{"find#/a": {{file: "{file}"}}}}}}\n',
    "strategies": lambda file: RECIPE + f'strategies: {{"find#/a": "{file}:x"}}\n',
    "documents": lambda file: RECIPE.replace("single", "multi_file") + f"documents: {{files: [{file}]}}\n",
    "prompts": lambda file: RECIPE + f"llm: {{model: m, prompts: {file}}}\njudge: {{}}\n",
}


@pytest.mark.parametrize("file", ENDLESS)
@pytest.mark.parametrize("where", NAMED)
def test_a_recipe_that_names_what_is_no_file_is_refused(cli: Command, folder: Path, where: str, file: str):
    (folder / "r.yaml").write_text(NAMED[where](file))
    with within(LONGEST):
        ran = cli("run", folder / "r.yaml", "--out", folder / "o", "--quiet", "--executor", "serial")
    assert ran.code == 2
    assert file.rpartition("/")[2] in ran.err or "needs 2 files" in ran.err  # a file without bytes is no document
    assert not (folder / "o").exists()


@pytest.mark.parametrize("file", ENDLESS)
def test_a_recipe_that_is_no_file_is_refused(cli: Command, folder: Path, file: str):
    with within(LONGEST):
        assert cli("run", folder / file, "--quiet").code == 2


def pipe_in_place_of(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("name", ["manifest.json", "openai.jsonl", "proofs.jsonl", "rejected.jsonl", "README.md"])
def test_a_pipe_among_the_files_of_a_run_is_not_waited_for(cli: Command, folder: Path, name: str):
    assert cli("run", folder / "r.yaml", "--out", folder / "o", "--quiet").code == 0
    pipe_in_place_of(folder / "o" / name)
    with within(LONGEST):
        assert cli("run", folder / "r.yaml", "--out", folder / "o", "--quiet").code == 2
        assert cli("run", folder / "r.yaml", "--out", folder / "o", "--quiet", "--rows", 4).code == 2
        assert cli("verify", folder / "o").code in (1, 2)
        if name != "openai.jsonl":  # that is the user's to wait for
            assert cli("show", folder / "o" / "openai.jsonl").code == 0
            assert cli("report", folder / "o").code in (0, 2)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(200 << 20)


def packed(path: Path) -> None:
    with gzip.open(path.with_suffix(".jsonl.gz"), "wb", compresslevel=1) as file:
        for _ in range(150):
            file.write(bytes(1 << 20))


def packed_well(path: Path) -> None:
    data = zstandard.ZstdCompressor(level=1).compress(bytes(150 << 20))
    path.with_suffix(".jsonl.zst").write_bytes(data)


@pytest.fixture(params=one_in(2, [sparse, packed_well, packed]), ids=lambda make: make.__name__)
def bomb(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    request.param(tmp_path / "x.jsonl")
    (made,) = tmp_path.iterdir()
    yield made
    made.unlink()


def test_a_line_without_end_is_told_in_constant_memory(cli: Command, bomb: Path):
    def told(*arguments: object) -> Ran:
        tracemalloc.start()
        with within(LONGEST):
            ran = cli(*arguments)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 400 << 20
        return ran

    ran = told("show", bomb)
    assert ran.code == 2
    assert ran.err == f"{bomb}:1: is longer than 67,108,864 bytes\n"
    if bomb.suffix != ".jsonl":  # all commands read packed files by what reads the plain one
        return
    assert told("validate", bomb).code == 1
    assert told("convert", bomb, bomb.parent / "o", "--from", "openai", "--to", "deepfabric").code == 2
    assert not (bomb.parent / "o").exists()


def test_an_empty_name_is_no_file(cli: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    for arguments in (["show", ""], ["validate", ""], ["verify", ""], ["run", ""], ["report", ""]):
        ran = cli(*arguments)
        assert ran.code == 2
        assert ran.err


def test_a_device_that_gives_for_ever_is_refused(cli: Command):
    with within(LONGEST):
        for arguments in (["validate", "/dev/zero"], ["show", "/dev/zero"]):
            ran = cli(*arguments)
            assert (ran.code, ran.err) == (2, "/dev/zero: this is a device; a file is expected\n")
