"""A corpus on disk: whole, the same bytes again, as fuzzers take it; and recipes of corpora."""

import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from corpora import RECIPE, recipe_of

from generator.core.errors import FormatError, OutputError, RecipeError
from generator.corpus import cases
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
        first = {path.name: path.read_bytes() for path in (tiny / name / "cases").iterdir()}
        more = {path.name: path.read_bytes() for path in (tmp_path / "more" / name / "cases").iterdir()}
        assert first.items() <= more.items()
        assert len(more) == 70


def test_another_seed_makes_other_cases(tiny, tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE.replace("seed: 3", "seed: 4")), tmp_path / "other")
    assert (tmp_path / "other/hermes/manifest.jsonl").read_bytes() != (tiny / "hermes/manifest.jsonl").read_bytes()


def test_the_manifest_tells_all_of_every_case(tiny):
    lines = [json.loads(line) for line in (tiny / "hermes/manifest.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == sorted(line["id"] for line in lines)
    known = {tool["function"]["name"] for tool in json.loads((tiny / "tools.json").read_text())}
    for line in lines:
        data = (tiny / "hermes/cases" / f"{line['id']}.txt").read_bytes()
        assert line["id"][:2] == f"{line['verdict']}_"
        assert (line["bytes"], line["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert set(line.get("tools", ())) <= known
        assert all(sum(plan["sizes"]) == len(data) for plan in line.get("plans", ()))
        cut_off = any(m["op"] in ("truncate", "drop_last_marker") for m in line.get("mutations", ()))
        assert ("invariants" in line) == cut_off
        assert "strict_json" not in line.get("invariants", ())


def test_fuzzers_find_seeds_an_archive_and_a_dictionary(tiny):
    texts = {path.read_bytes() for path in (tiny / "hermes/cases").iterdir()}
    seeds = {path.name: path.read_bytes() for path in (tiny / "hermes/seeds").iterdir()}
    assert set(seeds.values()) == texts
    assert all(hashlib.sha1(data).hexdigest() == name for name, data in seeds.items())
    with zipfile.ZipFile(tiny / "hermes/hermes_seed_corpus.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == seeds
    words = (tiny / "hermes/hermes.dict").read_text().splitlines()
    assert all(re.fullmatch(r'kw\d+="(?:[^"\\]|\\x[0-9A-F]{2})+"', line) for line in words)
    assert any("<tool_call>" in line for line in words)


def test_cases_are_read_for_parametrised_tests(tiny):
    found = list(cases(tiny, "hermes"))
    assert len(found) == 60
    assert {case.verdict for case in found} == {"y", "n", "i"}
    assert all(case.oracle.tool_calls for case in found if case.verdict == "y")
    with pytest.raises(FormatError, match='did you mean "hermes"'):
        list(cases(tiny, "hermez"))


def test_a_changed_case_is_noticed(tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 3")), tmp_path / "out")
    path = next((tmp_path / "out/hermes/cases").iterdir())
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(OutputError, match="has another size or sha256"):
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
    (tmp_path / "mine/hermes").mkdir()
    with pytest.raises(OutputError, match="hermes: was not made by a corpus"):
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
        (("seed: 3", "mutations: {truncat: 2}"), r"recipe.yaml:3: mutations.truncat: unknown mutation"),
        (("seed: 3", "mix: {valid: 1, wrong: 2}"), r"recipe.yaml:3: mix.wrong: unknown kind of case"),
        (("seed: 3", "tools: [nowhere.yaml]"), r"recipe.yaml:3: tools\[0\]: there is no file"),
        (("seed: 3", "corner_tools: false"), r"recipe.yaml:3: corner_tools: "),
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
    "a suffix leads out of the folder": ("INDEX.json", lambda text: text.replace(b'".txt"', b'"/../../x"')),
    "the tools are no list": ("tools.json", lambda text: b"{}"),
    "a tool is none": ("tools.json", lambda text: b'[{"function": 5}]'),
    "a line is blank": ("hermes/manifest.jsonl", lambda text: b"\n" + text),
    "a line is cut off": ("hermes/manifest.jsonl", lambda text: text[:-9]),
    "a line is nested too deep": ("hermes/manifest.jsonl", lambda text: b"[" * 100_000 + b"\n" + text),
    "a line stands twice": ("hermes/manifest.jsonl", lambda text: text.splitlines(keepends=True)[0] + text),
    "an id leads out of the folder": ("hermes/manifest.jsonl", lambda text: text.replace(b'"id":"', b'"id":"../cases/')),
    "an oracle is none": ("hermes/manifest.jsonl", lambda text: re.sub(rb'"tool_calls":\[', b'"tool_calls":5,"x":[', text)),
    "a size is not that of the text": ("hermes/manifest.jsonl", lambda text: re.sub(rb'"sizes":\[', b'"sizes":[-1,', text)),
    "a case has another format": ("hermes/manifest.jsonl", lambda text: text.replace(b'"format":"hermes"', b'"format":"x"')),
    "the manifest is a device": ("hermes/manifest.jsonl", None),
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
