"""A format is added with one new file and its name in `formats/__init__.py`: it is then written, checked and converted."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workbench import SHOP, write_tools

ROOT = Path(__file__).parents[2]
DIALOGUE = '''
"""All under one key: `dialogue` holds messages as in OpenAI's Chat Completions, with arguments as objects."""

from typing import Any

from generator.core.conversation import Conversation, Violation
from generator.formats.format import Format, Policy, Read, tool_object
from generator.formats.openai_messages import chat_entry, read_messages_record
from generator.formats.steps import without_parts

_FAULTS = (("DG101", "`dialogue` is a list of messages."),)


def render(conversation: Conversation) -> dict[str, Any]:
    messages = [chat_entry(message, as_text=False) for message in conversation.messages]
    return {"dialogue": messages, "functions": [tool_object(tool) for tool in conversation.tools]}


def read(record: Any) -> Read:
    if not isinstance(record, dict) or not isinstance(record.get("dialogue"), list):
        return None, [Violation("DG101", "$.dialogue", "is not a list")]
    faults: list[Violation] = []
    as_openai = {"messages": record["dialogue"], "tools": record.get("functions", [])}
    return read_messages_record(as_openai, "DG101", faults, empty=None), faults


def carries(conversation: Conversation) -> Conversation:
    return without_parts(conversation, "thoughts", "train", "is_error", "empty_text")


FORMAT = Format(
    name="dialogue",
    about="messages under `dialogue`",
    page=__doc__,
    render=render,
    read=read,
    carries=carries,
    policy=Policy(later_system=True, no_content="empty"),
    waives=("DF201", "DF301"),
    faults=_FAULTS,
)
'''


ALL_OF_THEM = """
import sys
from generator.cli import main

for command in sys.argv[1:]:
    sys.argv = ["generator", *command.split()]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with one file more and one changed."""
    copy = tmp_path / "generator"
    shutil.copytree(ROOT / "generator", copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "formats" / "rows" / "dialogue.py").write_text(DIALOGUE, encoding="utf-8")
    registry = copy / "formats" / "__init__.py"
    text = registry.read_text(encoding="utf-8")
    assert text.count("    deepfabric,\n") == text.count("    evaluation.FORMAT,\n") == 1
    changed = text.replace("    deepfabric,\n", "    deepfabric,\n    dialogue,\n").replace(
        "    evaluation.FORMAT,\n", "    evaluation.FORMAT,\n    dialogue.FORMAT,\n"
    )
    registry.write_text(changed, encoding="utf-8")
    return tmp_path


def test_a_run_writes_it_and_commands_read_it(package: Path):
    def generator(*commands: str) -> None:
        """Run commands, one after another, in one process."""
        done = subprocess.run(
            [sys.executable, "-c", ALL_OF_THEM, *commands],
            cwd=package,
            env={**os.environ, "PYTHONPATH": str(package)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    write_tools(package, SHOP)
    recipe = {
        "name": "r",
        "seed": 1,
        "rows": 5,
        "tools": ["shop.yaml"],
        "scenarios": ["single", "parallel"],
        "formats": ["dialogue"],
    }
    (package / "r.yaml").write_text(json.dumps(recipe), encoding="utf-8")
    generator(
        "run r.yaml --out out --workers 1 --no-report",
        "validate --format dialogue out/dialogue.jsonl",
        "convert out/dialogue.jsonl openai.jsonl --from dialogue --to openai",
        "convert openai.jsonl again.jsonl --from openai --to dialogue",
    )
    written = package / "out" / "dialogue.jsonl"
    assert [list(json.loads(line)) for line in written.read_text(encoding="utf-8").splitlines()] == [
        ["dialogue", "functions"]
    ] * 5
    assert (package / "again.jsonl").read_bytes() == written.read_bytes()
