"""`corpus check --server`: a program of any language that runs on gets whole texts and pieces, and tells deltas."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nightly import night

from generator.corpus import cases
from generator.corpus.check.run import CheckOptions, check_corpus

DRIVERS = Path(__file__).parents[2] / "docs/drivers"
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
    report = checked(tiny, server("hangs"), "n", most=1, seconds=0.1, start_seconds=0.1)
    assert {finding.label for finding in report.findings} == {"hang"}


def test_a_server_that_is_none_is_told(tiny, cli):
    ran = cli("corpus", "check", tiny, "--format", "hermes", "--server", "no-such-program-here")
    assert (ran.code, "--server: no-such-program-here cannot be run" in ran.err) == (2, True)


def reads_calls(corpus, command):
    """The example in a driver reads hermes; JavaScript has no great whole numbers."""
    assert checked(corpus, command, "n", most=20).findings == ()
    found = checked(corpus, command, "y", most=20)
    assert found.cases == 20
    return [one for one in found.findings if one.label != "wrong argument"] == []


def takes_all_for_words(corpus, command):
    """The example in a driver without JSON tells the words; whoever lacks a parser still sees texts and pieces whole."""
    report = checked(corpus, command, "n", most=20)
    return report.findings == () and report.runs > 2 * report.cases


def built(tmp_path, name, words):
    """The driver as its first lines say it is built; skipped where the compiler is missing."""
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed: {name} was not run")
    shutil.copy(DRIVERS / name, tmp_path)
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    return tmp_path / "driver"


@pytest.mark.parametrize("path", sorted(DRIVERS.iterdir()), ids=lambda path: path.name)
def test_a_driver_is_short(path):
    assert len(path.read_text().splitlines()) <= 60


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_driver_for_node_reads_valid_cases(tiny):
    assert reads_calls(tiny, f"node {DRIVERS / 'driver.mjs'}")


@night
def test_the_driver_in_typescript_reads_valid_cases(tiny, tmp_path):
    npm = shutil.which("npm")
    install = [
        npm,
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefer-offline",
        "typescript@5",
        "@types/node@20",
    ]
    if npm is None or subprocess.run(install, cwd=tmp_path, capture_output=True, timeout=240).returncode:
        pytest.skip("TypeScript cannot be installed here: driver.ts was not run")
    shutil.copy(DRIVERS / "driver.ts", tmp_path)
    compile_it = ["node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "driver.ts"]
    subprocess.run(compile_it, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert reads_calls(tiny, f"node {tmp_path / 'driver.js'}")


def test_the_driver_in_cpp_takes_texts_and_pieces(tiny, tmp_path):
    words = ["g++", "-std=c++17", "-Wall", "-Werror", "-o", "driver", "driver.cpp"]
    assert takes_all_for_words(tiny, str(built(tmp_path, "driver.cpp", words)))


def test_the_driver_in_rust_takes_texts_and_pieces(tiny, tmp_path):
    assert takes_all_for_words(tiny, str(built(tmp_path, "driver.rs", ["rustc", "driver.rs"])))


def test_the_driver_in_go_takes_texts_and_pieces(tiny, tmp_path):
    assert takes_all_for_words(tiny, str(built(tmp_path, "driver.go", ["go", "build", "driver.go"])))


class TestStart:
    def test_a_parser_that_does_not_come_up_is_told_with_what_it_printed(self, tiny, cli, tmp_path):
        (tmp_path / "slow.py").write_text(
            "import sys, time\nprint('loading weights', file=sys.stderr, flush=True)\ntime.sleep(60)"
        )
        case = next(case.id for case in cases(tiny, "hermes") if case.verdict == "y")
        more = ("--parser", f"{tmp_path}/slow.py:parse", "--start-seconds", "1")
        ran = cli("corpus", "check", tiny, "--format", "hermes", "--case", case, *more)
        assert ran.code == 2
        assert "within 1 seconds (--start-seconds)" in ran.err
