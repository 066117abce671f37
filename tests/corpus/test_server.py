"""`corpus check --server`: a program of any language that runs on gets whole texts and pieces, and tells deltas."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from generator.corpus import cases
from generator.corpus.check.run import CheckOptions, check_corpus

DRIVER = Path(__file__).parents[2] / "docs/drivers/driver.mjs"
SERVER = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    text = asked.get("text") or "".join(asked["pieces"])
    if sys.argv[1] == "dies" and "ping" in text:
        os._exit(3)
    if sys.argv[1] == "hangs":
        time.sleep(60)
    answer = {"content": text, "tool_calls": []}
    if "pieces" in asked:
        answer = {"deltas": [{"after": at + 1, "content": piece} for at, piece in enumerate(asked["pieces"])]}
    print(json.dumps(answer) if sys.argv[1] != "babbles" else "{", flush=True)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("server") / "server.py"
    path.write_text(SERVER)
    return lambda way: f"{sys.executable} {path} {way}"


def checked(corpus, command, verdict, most=6, **more):
    ids = tuple(case.id for case in cases(corpus, "hermes") if case.verdict == verdict and case.stretch is None)[:most]
    return check_corpus(corpus, CheckOptions(server=command, **more), formats=("hermes",), ids=ids)


def test_texts_without_calls_are_read_whole_and_in_pieces(tiny, server):
    report = checked(tiny, server("words"), "n")
    assert report.findings == ()
    assert report.runs > 2 * report.cases


def test_calls_that_are_told_as_words_are_lost_and_their_markers_leak(tiny, server):
    labels = {finding.label for finding in checked(tiny, server("words"), "y").findings}
    assert "lost call" in labels


@pytest.mark.parametrize(("way", "label", "verdict"), [("dies", "died", "y"), ("babbles", "exception", "n")])
def test_a_server_that_goes_wrong_is_told(tiny, server, way, label, verdict):
    report = checked(tiny, server(way), verdict, most=40 if way == "dies" else 2)
    assert label in {finding.label for finding in report.findings}


def test_a_server_that_is_silent_hangs(tiny, server, monkeypatch):
    monkeypatch.setattr("generator.corpus.check.runner._PATIENCE", -40)
    report = checked(tiny, server("hangs"), "n", most=1, seconds=0.1)
    assert {finding.label for finding in report.findings} == {"hang"}


def test_a_server_that_is_none_is_told(tiny, cli):
    ran = cli("corpus", "check", tiny, "--format", "hermes", "--server", "no-such-program-here")
    assert (ran.code, "--server: no-such-program-here cannot be run" in ran.err) == (2, True)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_driver_for_node_reads_valid_cases(tiny):
    assert len(DRIVER.read_text().splitlines()) <= 60
    assert checked(tiny, f"node {DRIVER}", "n", most=20).findings == ()
    found = checked(tiny, f"node {DRIVER}", "y", most=20)
    assert found.cases == 20
    wide = [one for one in found.findings if one.label != "wrong argument"]  # JavaScript has no great whole numbers
    assert json.dumps([(one.case, one.label, one.detail) for one in wide]) == "[]"
