"""README.md tells the truth: its commands run, and its row is one that comes out.

To renew the row after a change of wording: `python tests/test_readme.py`.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
ROW = 61
_BLOCK = re.compile(r"(<!-- row -->\n```json\n)(.*?)(```\n<!-- /row -->)", re.DOTALL)


def fresh_row() -> str:
    """Row `ROW` of recipes/parallel.yaml, the tools it offers shortened to their names."""
    sys.path.insert(0, str(ROOT))
    from generator.formats import FORMATS
    from generator.recipe import load_recipe
    from generator.run.row import make_row, prepare
    from generator.scenarios import SCENARIOS

    recipe = load_recipe(ROOT / "recipes/parallel.yaml", scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    record = make_row(prepare(recipe), ROW).record
    lines = [json.dumps(message, ensure_ascii=False) for message in record["messages"]]
    tools = ", ".join(f'"… {tool["function"]["name"]} …"' for tool in record["tools"])
    return '{"messages": [\n  ' + ",\n  ".join(lines) + '],\n "tools": [' + tools + "]}\n"


def test_the_row_in_the_readme_is_one_that_comes_out() -> None:
    block = _BLOCK.search(README.read_text(encoding="utf-8"))
    assert block is not None
    assert block[2] == fresh_row()


def test_every_command_of_the_readme_runs(tmp_path: Path) -> None:
    """The two set-up commands are run by .ci/run, as they stand; here are all the others, after a short run."""
    for name in ("recipes", "tool_specs"):
        (tmp_path / name).symlink_to(ROOT / name)
    formats = [word for name in ("deepfabric", "openai", "openchatml") for word in ("--format", name)]
    run = ["run", "recipes/parallel.yaml", "--rows", "70", "--quiet", *formats]
    commands = [command for command in _commands() if command[:3] == ["python", "-m", "generator"]]
    assert len(commands) >= 4
    for words in (run, *(command[3:] for command in commands)):
        done = subprocess.run(
            [sys.executable, "-m", "generator", *words],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr)


def _commands() -> list[list[str]]:
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    inline = re.findall(r"`(python -m generator [^`]*)`", text)
    lines = [line for block in blocks for line in block.splitlines()] + [line for line in inline if "RECIPE" not in line]
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


if __name__ == "__main__":
    README.write_text(_BLOCK.sub(lambda m: m[1] + fresh_row() + m[3], README.read_text(encoding="utf-8")), encoding="utf-8")
