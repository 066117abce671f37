"""Streams that are closed, broken or full: what was asked for is done, and the exit code tells how it went."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from nightly import one_case_in

ROOT = Path(__file__).parents[2]
TOOL = {
    "name": "find",
    "description": "Find.",
    "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
}
ROW = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello. " * 5000}]}
FULL = pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="/dev/full is no device here")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    (folder / "t.json").write_text(json.dumps([TOOL]))
    (folder / "r.yaml").write_text("name: r\nrows: 5\ntools: [t.json]\nscenarios: [single]\nformats: [deepfabric]\n")
    (folder / "bad.yaml").write_text("name: r\n")
    (folder / "good.jsonl").write_text(json.dumps(ROW) + "\n")
    (folder / "faulty.jsonl").write_text('{"messages": 5}\n' * 3)
    return folder


def shell(folder: Path, line: str) -> tuple[int, str]:
    """Exit code of the program in a shell line (`G` stands for it), and what stderr got."""
    script = f'set -o pipefail; G() {{ "{sys.executable}" -m generator "$@"; }}; {line}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "F": str(folder)}
    ran = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, text=True, capture_output=True, timeout=60, check=False
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    one_case_in(
        3,
        [
            ("G run r.yaml --out o1 >&-", 0),
            ("G run r.yaml --out o2 2>&-", 0),
            ("G run r.yaml --out o3 <&- >&- 2>&-", 0),
            ("G run bad.yaml 2>&-", 2),
            ("G run bad.yaml 2>&1 | true", 2),
            ("{ G run r.yaml --out o4 || exit 9; } 2>&1 | true", 0),
            ("G validate good.jsonl >&-", 0),
            ("G validate faulty.jsonl >&-", 1),
            ("G show good.jsonl | head -1", 0),
            ("G show good.jsonl | true", 0),
            ("G run r.yaml --dry-run | head -1", 0),
            pytest.param("G run r.yaml --out o5 2>/dev/full", 0, marks=FULL),
            pytest.param("G validate good.jsonl >/dev/full", 2, marks=FULL),
        ],
    ),
)
def test_the_exit_code_is_that_of_the_work(folder: Path, line: str, code: int):
    got, told = shell(folder, line)
    assert (got, "Traceback" in told, "Exception" in told) == (code, False, False), told
    for name in ("o1", "o2", "o3", "o4", "o5"):
        assert name not in line or (folder / name / "manifest.json").is_file()


def test_an_interruption_while_the_command_line_is_loaded_is_told_like_any_other(folder: Path):
    (folder / "click.py").write_text("raise KeyboardInterrupt\n")  # instead of the package
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    ran = subprocess.run(
        [sys.executable, "-m", "generator", "--help"],
        cwd=ROOT,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )
    (folder / "click.py").unlink()
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "Interrupted.\n")
