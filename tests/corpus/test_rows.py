"""Files of rows with faults: our own `validate` and `convert` name every fault, and survive the rest."""

import json
import re

import pytest
from corpora import recipe_of
from nightly import one_in

from generator.core.errors import GeneratorError, OutputError
from generator.corpus.check.run import CheckOptions, check_corpus
from generator.corpus.rows import LINE_FAULTS, RECORD_FAULTS, file_makers, make_file, row_formats
from generator.corpus.run import make_corpus
from generator.formats import FORMATS
from generator.formats.files.validate import violations_in_file
from generator.report.files.convert import convert_file

FILES = 90


def rule_of(case):
    """Return the rule that a case breaks."""
    found = case.mutations[-1].arg if case.mutations else None
    return found if found and re.fullmatch(r"[A-Z]{2}[0-9]{3}", found) else None


@pytest.fixture(scope="module")
def row_cases(tmp_path_factory):
    recipe = recipe_of(
        tmp_path_factory.mktemp("rows"), "kind: corpus\nname: rows\nseed: 5\ncases: 1\nformats: [rows]\n"
    )
    return {maker.fmt.name: [make_file(maker, index) for index in range(FILES)] for maker in file_makers(recipe)}


@pytest.mark.parametrize("name", one_in(3, row_formats()))
def test_validate_names_the_rule_that_a_file_breaks(row_cases, tmp_path, name):
    for case in row_cases[name]:
        path = tmp_path / "rows.jsonl"
        path.write_bytes(case.text)
        try:
            found = {fault.violation.rule for fault in violations_in_file(path, name)}
        except OutputError:  # it is refused as a whole, with what it looks like
            assert case.verdict != "y", case.id
            continue
        if case.verdict == "y":
            assert found == set(), case.id
        elif case.verdict == "n":
            assert rule_of(case) in found, case.id


@pytest.mark.parametrize("name", one_in(3, row_formats()))
def test_convert_survives_every_file(row_cases, tmp_path, name):
    for number, case in enumerate(row_cases[name]):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(case.text)
        to = FORMATS["openai" if name != "openai" else "deepfabric"]
        try:
            tally = convert_file(path, tmp_path / f"{number}.out.jsonl", FORMATS[name], to, lambda *_: None)
        except GeneratorError:
            assert case.verdict != "y"
            continue
        assert case.verdict != "y" or tally.written == tally.read
        assert all(json.loads(line) for line in (tmp_path / f"{number}.out.jsonl").read_bytes().splitlines())


def test_every_fault_is_put_somewhere(row_cases):
    put = {mutation.op for cases in row_cases.values() for case in cases for mutation in case.mutations}
    assert put >= {*LINE_FAULTS, *RECORD_FAULTS}


def test_a_reader_of_files_is_checked(tmp_path):
    recipe = recipe_of(tmp_path, "kind: corpus\nname: rows\nseed: 5\ncases: 40\nformats: [hermes, openai]\n")
    make_corpus(recipe, tmp_path / "out")
    (tmp_path / "readers.py").write_text(
        "import json\n"
        "def careless(path, tools):\n"
        "    for line in open(path, 'rb'):\n"
        "        json.loads(line)['messages']\n"
    )
    report = check_corpus(
        tmp_path / "out", CheckOptions(parser=f"{tmp_path / 'readers.py'}:careless"), formats=("openai",)
    )
    assert {finding.label for finding in report.findings} == {"fault not noticed"}
    assert report.cases == 40
