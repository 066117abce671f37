"""`corpus check` finds planted faults, by name, and nothing in a right parser."""

import json
import sys
from pathlib import Path

import pytest

from generator.corpus.check.run import CheckOptions, check_corpus

FAULTY = Path(__file__).parents[1] / "faulty_parsers.py"


def labels(report):
    return {finding.label for finding in report.findings}


def check(corpus, name, most=None, **more):
    ids = tuple(json.loads(line)["id"] for line in (corpus / "hermes.jsonl").read_text().splitlines()[:most])
    return check_corpus(corpus, CheckOptions(parser=f"{FAULTY}:{name}", **more), formats=("hermes",), ids=ids)


def test_a_right_parser_has_no_findings(tiny):
    report = check(tiny, "right", stream=f"{FAULTY}:right_stream", torn_tokens=True)
    assert [finding for finding in report.findings if finding.verdict != "i"] == []
    assert report.cases == 60
    assert report.runs > 200


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("drops_empty", "lost call"),
        ("guesses_types", "wrong argument"),
        ("raises", "exception"),
        ("dies", "died"),
        ("takes_prose", "call from prose"),
        ("no_json", "invalid JSON"),
    ],
)
def test_a_planted_fault_is_found_by_name(tiny, name, label):
    assert label in labels(check(tiny, name))


def test_an_answer_with_its_calls_under_another_key_is_told_so(tiny):
    report = check(tiny, "calls_by_another_name")
    assert all("{content, tool_calls} is expected" in finding.detail for finding in report.findings)
    assert labels(report) == {"exception"}


def test_a_parser_that_hangs_is_ended_and_the_next_case_is_read(tiny):
    lines = sorted((tiny / "hermes.jsonl").read_text().splitlines(), key=lambda line: "sync_now" not in line)
    ids = tuple(json.loads(line)["id"] for line in lines[:12])
    report = check_corpus(tiny, CheckOptions(parser=f"{FAULTY}:hangs", seconds=0.3), formats=("hermes",), ids=ids)
    assert report.cases == 12
    assert 0 < sum(finding.label == "hang" for finding in report.findings) < 12


def test_a_parser_that_takes_all_memory_does_no_harm(tiny):
    report = check(tiny, "eats", memory=512)
    assert any(finding.label == "exception" and "MemoryError" in finding.detail for finding in report.findings)


class TestRoom:
    def test_a_parser_that_writes_to_every_descriptor_is_heard_all_the_same(self, tiny, capfd):
        report = check(tiny, "writes_everywhere", most=5)
        assert [finding for finding in report.findings if finding.verdict != "i"] == []
        assert capfd.readouterr() == ("", "")

    def test_a_parser_that_closes_every_descriptor_has_died(self, tiny):
        assert labels(check(tiny, "closes_everything", most=5)) == {"died"}

    def test_what_is_no_json_is_told(self, tiny):
        report = check(tiny, "answers_what_is_no_json", most=5)
        assert all("is no JSON" in finding.detail for finding in report.findings)

    def test_what_a_parser_starts_ends_with_it(self, tiny, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        check(tiny, "leaves_one_running", most=5)
        assert not Path(f"/proc/{(tmp_path / 'left.pid').read_text()}").exists()

    def test_a_parser_that_dies_while_it_is_loaded_is_told_with_what_it_said(self, tiny, tmp_path, cli):
        (tmp_path / "bad.py").write_text("import os, sys\nprint('no licence', file=sys.stderr)\nos._exit(3)")
        ran = cli("corpus", "check", tiny, "--parser", f"{tmp_path}/bad.py:parse", "--format", "hermes")
        assert ran.code == 2
        assert "its process ended (exit code 3) no licence" in ran.err

    @pytest.mark.parametrize("command", ["'", '"a', "", " ", "a\\"])
    def test_a_command_that_is_none_is_told(self, tiny, cli, command):
        ran = cli("corpus", "check", tiny, "--format", "hermes", "--command", command)
        assert (ran.code, ran.err.startswith("--command"), ran.err.count("\n")) == (2, True, 1)

    @pytest.mark.parametrize(
        ("program", "told"),
        [
            ("yes", "more than"),
            ("sleep 600", "no answer"),
            ("sh -c 'setsid sleep 600 & exit 3'", "exit code 3"),
            ("echo [[[[", "documented"),
        ],
    )
    def test_a_program_that_means_harm_is_a_finding(self, tiny, program, told):
        ids = (json.loads((tiny / "hermes.jsonl").read_text().splitlines()[0])["id"],)
        report = check_corpus(
            tiny,
            CheckOptions(command=program, seconds=2.0 if "sleep" in program else 30.0),
            formats=("hermes",),
            ids=ids,
        )
        assert told in report.findings[0].detail


def test_pieces_that_are_read_otherwise_are_told_with_their_plans(tiny):
    report = check(tiny, "right", stream=f"{FAULTY}:needs_whole_markers", torn_tokens=True)
    torn = [finding for finding in report.findings if finding.label == "lost call"]
    assert torn
    assert all("whole" not in finding.plans for finding in torn)
    atomic = check(tiny, "right", stream=f"{FAULTY}:needs_whole_markers")
    assert [finding for finding in atomic.findings if finding.verdict == "y"] == []


def test_processes_side_by_side_find_the_same(tiny):
    one = check(tiny, "drops_empty")
    how = CheckOptions(parser=f"{FAULTY}:drops_empty")
    assert check_corpus(tiny, how, formats=("hermes",), jobs=3).findings == one.findings


def test_a_program_of_any_language_is_checked_through_its_output(tiny):
    how = CheckOptions(command=f"{sys.executable} {FAULTY}")
    ids = tuple(json.loads(line)["id"] for line in (tiny / "hermes.jsonl").read_text().splitlines()[-6:])
    report = check_corpus(tiny, how, formats=("hermes",), ids=ids)
    assert report.cases == 6
    assert [finding for finding in report.findings if finding.verdict == "y"] == []
    assert labels(check_corpus(tiny, CheckOptions(command="false"), formats=("hermes",), ids=ids)) == {"died"}


class TestCommandLine:
    def test_findings_are_a_table_and_exit_code_1(self, tiny, cli):
        ran = cli("corpus", "check", tiny, "--format", "hermes", "--parser", f"{FAULTY}:drops_empty")
        assert ran.code == 1
        assert "lost call" in ran.out
        assert "empty_arguments" in ran.out

    def test_findings_as_json(self, tiny, cli):
        ran = cli("corpus", "check", tiny, "--format", "hermes", "--parser", f"{FAULTY}:drops_empty", "--json")
        told = json.loads(ran.out)
        assert "lost call" in {finding["label"] for finding in told["findings"]}
        assert {cause["label"] for cause in told["causes"]} == {finding["label"] for finding in told["findings"]}

    def test_no_findings_are_exit_code_0(self, tiny, cli):
        ids = [case for case in (tiny / "hermes.jsonl").read_text().splitlines() if '"verdict":"y"' in case]
        flags = [flag for line in ids[:5] for flag in ("--case", json.loads(line)["id"])]
        assert cli("corpus", "check", tiny, "--format", "hermes", *flags, "--parser", f"{FAULTY}:right").code == 0

    @pytest.mark.parametrize(
        ("flags", "told"),
        [
            (["--parser", "no_such_module:parse"], "cannot be loaded"),
            (["--parser", f"{FAULTY}:no_such_name"], "no_such_name"),
            (["--parser", f"{FAULTY}:right", "--format", "hermess"], 'did you mean "hermes"'),
            (["--parser", f"{FAULTY}:right", "--case", "none-1"], "no such case"),
            (["--command", "no-such-program-here"], "cannot be run"),
            ([], "say what to run"),
        ],
    )
    def test_wrong_input_is_told_in_one_message(self, tiny, cli, flags, told):
        ran = cli("corpus", "check", tiny, *(["--format", "hermes"] if "--format" not in flags else []), *flags)
        assert ran.code == 2
        assert told in ran.err
        assert "Traceback" not in ran.err

    def test_a_folder_that_is_no_corpus_is_told(self, tmp_path, cli):
        ran = cli("corpus", "check", tmp_path, "--parser", f"{FAULTY}:right")
        assert (ran.code, "is no corpus" in ran.err) == (2, True)
