"""A corpus on disk: whole, the same bytes again, as fuzzers take it; and recipes of corpora."""

import base64
import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest
from corpora import RECIPE, recipe_of

from generator.core.errors import FormatError, OutputError, RecipeError
from generator.corpus import Case, ExpectedCall, Oracle, cases
from generator.corpus.layout import write_format, write_json
from generator.corpus.run import make_corpus

ROOT = Path(__file__).parents[2]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_recipe_makes_the_same_bytes(tiny, tmp_path):
    make_corpus(recipe_of(tmp_path), tmp_path / "again")
    assert files(tmp_path / "again") == files(tiny)


def test_more_cases_keep_the_first_ones(tiny, tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 70")), tmp_path / "more")
    for name in ("hermes", "gemma4"):
        first = (tiny / f"{name}.jsonl").read_bytes().splitlines()
        more = (tmp_path / "more" / f"{name}.jsonl").read_bytes().splitlines()
        assert set(first) <= set(more)
        assert len(more) == 70


def test_another_seed_makes_other_cases(tiny, tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE.replace("seed: 5", "seed: 4")), tmp_path / "other")
    assert (tmp_path / "other/hermes.jsonl").read_bytes() != (tiny / "hermes.jsonl").read_bytes()


def test_a_line_tells_all_of_a_case(tiny):
    lines = [json.loads(line) for line in (tiny / "hermes.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == sorted(line["id"] for line in lines)
    known = {tool["function"]["name"] for tool in json.loads((tiny / "tools.json").read_text())}
    for line, case in zip(lines, cases(tiny, "hermes"), strict=True):
        data = line["text"].encode() if "text" in line else base64.b64decode(line["base64"])
        assert data == case.text
        assert set(line.get("tools", ())) <= known
        assert all(sum(plan["sizes"]) == len(data) for plan in line.get("plans", ()))
        assert all(value not in (None, [], "") for key, value in line.items() if key != "text")


def test_a_text_that_is_no_utf_8_and_line_ends_that_are_none_are_read_again(tmp_path):
    letters = "a\x85b\u2028c\u2029d\r\ne"
    texts = {"torn": "é".encode()[:1], "ends": letters.encode(), "half": b"\xed\xa0\xbd"}
    made = [Case(id=name, format="hermes", verdict="i", text=text) for name, text in texts.items()]
    made.append(
        Case(
            id="y",
            format="hermes",
            verdict="y",
            text=b"",
            oracle=Oracle((ExpectedCall("f", {"a": 2**70, letters: 1e-7}),)),
        )
    )
    entry = write_format(tmp_path, "hermes", "wire", made)
    write_json(tmp_path / "INDEX.json", {"formats": {"hermes": msgspec.to_builtins(entry)}})
    assert sorted(cases(tmp_path, "hermes"), key=lambda case: case.id) == sorted(made, key=lambda case: case.id)
    assert len((tmp_path / "hermes.jsonl").read_text().splitlines()) == 4


def test_fuzzers_find_seeds_an_archive_and_a_dictionary(tiny, tmp_path, cli):
    ran = cli("corpus", "seeds", tiny, "--format", "hermes", "--out", tmp_path)
    assert (ran.code, "texts: " in ran.out) == (0, True)
    texts = {case.text for case in cases(tiny, "hermes")}
    seeds = {path.name: path.read_bytes() for path in (tmp_path / "hermes/seeds").iterdir()}
    assert set(seeds.values()) == texts
    assert all(hashlib.sha1(data).hexdigest() == name for name, data in seeds.items())
    with zipfile.ZipFile(tmp_path / "hermes/hermes_seed_corpus.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == seeds
    words = (tmp_path / "hermes/hermes.dict").read_text().splitlines()
    assert all(re.fullmatch(r'kw\d+="(?:[^"\\]|\\x[0-9A-F]{2})+"', line) for line in words)
    assert any("<tool_call>" in line for line in words)
    assert cli("corpus", "seeds", tiny, "--format", "hermess").code == 2


def test_cases_are_read_for_parametrised_tests(tiny):
    found = list(cases(tiny, "hermes"))
    assert len(found) == 60
    assert {case.verdict for case in found} == {"y", "n", "i"}
    assert all(case.oracle.tool_calls for case in found if case.verdict == "y")
    with pytest.raises(FormatError, match='did you mean "hermes"'):
        list(cases(tiny, "hermez"))


def test_a_changed_case_is_noticed(tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 3")), tmp_path / "out")
    path = tmp_path / "out/hermes.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"calls_', b'"Calls_'))
    with pytest.raises(OutputError, match="its sha256 is not that of the index"):
        list(cases(tmp_path / "out", "hermes"))


def test_what_is_there_is_kept_unless_it_may_be_replaced(tmp_path):
    recipe = recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 2"))
    assert not make_corpus(recipe, tmp_path / "out").again
    assert make_corpus(recipe, tmp_path / "out").again
    other = recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 4"))
    with pytest.raises(OutputError, match="made from something else"):
        make_corpus(other, tmp_path / "out")
    assert make_corpus(other, tmp_path / "out", overwrite=True).counts["hermes"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("x")
    with pytest.raises(OutputError, match="no corpus"):
        make_corpus(recipe, tmp_path / "mine")
    (tmp_path / "mine/hermes.jsonl").write_text("mine")
    with pytest.raises(OutputError, match=r"hermes\.jsonl: was not made by a corpus"):
        make_corpus(recipe, tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine/thesis.txt").exists()


def test_a_run_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("generator.corpus.run.make_case", fail)
    with pytest.raises(KeyboardInterrupt):
        make_corpus(recipe_of(tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_shipped_recipe_runs(cli, tmp_path):
    formats = ("--format", "hermes", "--format", "openai")
    command = ("run", ROOT / "recipes/fuzz_parsers.yaml", "--rows", 2, *formats, "--out", tmp_path / "out")
    ran = cli(*command)
    assert ran.code == 0
    assert "hermes" in ran.out
    assert (tmp_path / "out/INDEX.json").exists()
    again = cli(*command)
    assert (again.code, "is whole already" in again.out) == (0, True)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("cases: 60", "cases: 0"), r"recipe.yaml:4: cases: "),
        (("cases: 60", "case: 60"), r"recipe.yaml:4: case: unknown key \(did you mean \"cases\"\?\)"),
        (
            ("hermes,", "hermes2,"),
            r"recipe.yaml:7: formats\[0\]: unknown format 'hermes2' \(did you mean \"hermes\"\?\)",
        ),
        (("seed: 5", "mutations: {truncat: 2}"), r"recipe.yaml:3: mutations.truncat: unknown mutation"),
        (("seed: 5", "mix: {valid: 1, wrong: 2}"), r"recipe.yaml:3: mix.wrong: unknown kind of case"),
        (("seed: 5", "tools: [nowhere.yaml]"), r"recipe.yaml:3: tools\[0\]: there is no file"),
        (("seed: 5", "corner_tools: false"), r"recipe.yaml:3: corner_tools: "),
        (("kind: corpus", "kind: corps"), r"recipe.yaml:1: kind: "),
    ],
)
def test_a_fault_in_a_recipe_is_told_with_its_line(tmp_path, change, told):
    with pytest.raises(RecipeError, match=told):
        recipe_of(tmp_path, RECIPE.replace(*change))


PLANTED = {
    "the index is no JSON": ("INDEX.json", lambda text: b"{"),
    "the index is a list": ("INDEX.json", lambda text: b"[]"),
    "the index is nested too deep": ("INDEX.json", lambda text: b"[" * 100_000),
    "a format leads out of the folder": ("INDEX.json", lambda text: text.replace(b'"hermes"', b'"../hermes"')),
    "the tools are no list": ("tools.json", lambda text: b"{}"),
    "a tool is none": ("tools.json", lambda text: b'[{"function": 5}]'),
    "a line is blank": ("hermes.jsonl", lambda text: b"\n" + text),
    "a line is cut off": ("hermes.jsonl", lambda text: text[:-9]),
    "a line is nested too deep": ("hermes.jsonl", lambda text: b"[" * 100_000 + b"\n" + text),
    "a line stands twice": ("hermes.jsonl", lambda text: text.splitlines(keepends=True)[0] + text),
    "a line has no text": ("hermes.jsonl", lambda text: text.replace(b'"text":', b'"test":')),
    "an oracle is none": ("hermes.jsonl", lambda text: re.sub(rb'"tool_calls":\[', b'"tool_calls":5,"x":[', text)),
    "a size is not that of the text": ("hermes.jsonl", lambda text: re.sub(rb'"sizes":\[', b'"sizes":[-1,', text)),
    "a case has another format": ("hermes.jsonl", lambda text: text.replace(b'"format":"hermes"', b'"format":"x"')),
    "the lines are a device": ("hermes.jsonl", None),
    "the index is a device": ("INDEX.json", None),
}  # fmt: skip


@pytest.mark.parametrize("what", PLANTED)
def test_a_damaged_corpus_is_told_with_the_place_of_the_damage(tiny, tmp_path, cli, what):
    name, damage = PLANTED[what]
    folder = tmp_path / "corpus"
    shutil.copytree(tiny, folder)
    whole = (folder / name).read_bytes()
    (folder / name).unlink()
    if damage is None:
        (folder / name).symlink_to("/dev/zero")
    else:
        assert damage(whole) != whole
        (folder / name).write_bytes(damage(whole))
    ran = cli("corpus", "check", folder, "--parser", "builtins:len", "--format", "hermes")
    assert (ran.code, ran.out) == (2, "")
    assert re.match(rf"{re.escape(str(folder))}(: is no corpus: {name}|/{re.escape(name)}(:\d+)?: )", ran.err)
    assert len(ran.err.splitlines()) == 1
