"""README.md and the pages in docs/ tell the truth: their commands and code run, and the picture is of a row that comes out.

To renew the picture after a change of wording: `PYTHONPATH=. python tests/test_readme.py`.
"""

import io
import re
import shlex
from pathlib import Path

import pytest
from command import command
from nightly import night
from rich.console import Console

from generator.cli.screen.page import page_lines
from generator.formats import FORMATS
from generator.formats.run_folder.proof_line import proof_line
from generator.recipe import load_recipe
from generator.report.files.show import show_row
from generator.run.row import make_row, prepare
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

ROOT = Path(__file__).parent.parent
README, DOCS = ROOT / "README.md", ROOT / "docs"
PICTURE = DOCS / "row.svg"
PAGES = (README, *(DOCS / f"{name}.md" for name in ("scenarios", "data-files", "language-models", "specifications")))
ROW = 61
FEW = 12
"""Rows, where a page says a number."""


def fresh_picture() -> str:
    """Row `ROW` of recipes/parallel.yaml as `show` prints it."""
    recipe = load_recipe(ROOT / "recipes/parallel.yaml", scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    row = make_row(prepare(recipe), ROW).row
    console = Console(record=True, width=110, file=io.StringIO(), highlight=False, markup=False, emoji=False)
    for line in page_lines("recipes/parallel.yaml, one row", show_row(row.conversation, proof_line(row)), 100):
        console.print(line, soft_wrap=True)
    picture = console.export_svg(title="python -m generator show", unique_id="row")
    return re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # fonts that would be fetched


def test_the_picture_is_of_a_row_that_comes_out() -> None:
    picture = fresh_picture()
    assert PICTURE.read_text(encoding="utf-8") == picture, "PYTHONPATH=. python tests/test_readme.py"
    assert "url(http" not in picture.replace(" ", "")
    assert "@font-face" not in picture
    assert "the&#160;user&#160;says" in picture


def test_the_front_page_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= 1200, "words, with the code"


def test_the_page_of_scenarios_lists_each_of_them_once() -> None:
    listed = re.findall(r"^\| `(\w+)`(?: †)? \|", (DOCS / "scenarios.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted([*SCENARIOS, *DOCUMENT_SCENARIOS])


def test_links_between_pages_lead_somewhere() -> None:
    for page in (README, *DOCS.glob("*.md")):
        for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page.name, link)


@night
def test_every_command_of_the_pages_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The two set-up commands are run by .ci/run, as they stand; here are all the others, after a short run."""
    (tmp_path / "parser.py").write_text(_shown("python", "def parse"))
    for name in ("recipes", "tool_specs"):
        (tmp_path / name).symlink_to(ROOT / name)
    formats = [word for name in ("deepfabric", "openai", "openchatml") for word in ("--format", name)]
    run = ["run", "recipes/parallel.yaml", "--rows", "70", "--quiet", *formats]
    commands = [words[3:] for page in PAGES for words in _commands(page) if words[:3] == ["python", "-m", "generator"]]
    assert len(commands) >= 8
    cli = command(monkeypatch, capsys)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # no other program is needed
    for words in (run, *map(fewer, commands)):
        done = cli(*words)
        finds = words[:2] == ["corpus", "check"]  # faults in the parser that the page shows
        assert done.code == finds, (words, done.err)
        assert not finds or _shown("text", "expected") in done.out


def test_the_episode_of_the_front_page_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(_shown("python", "open_episode"), {})
    assert "reward=" in capsys.readouterr().out


def fewer(words: list[str]) -> list[str]:
    """A command, with few rows where it says how many to make."""
    if words[0] != "run" or "--rows" not in words:
        return words
    at = words.index("--rows") + 1
    return [*words[:at], str(min(int(words[at]), FEW)), *words[at + 1 :]]


def _shown(language: str, word: str) -> str:
    """The block of README.md in a language that holds a word: "def parse" its parser, "expected" what is found in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if word in block)


def _commands(page: Path) -> list[list[str]]:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    inline = re.findall(r"`(python -m generator [^`]*)`", text)
    lines = [line for block in blocks for line in block.splitlines()] + [
        line for line in inline if not re.search("[A-Z]{5}", line)
    ]
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


if __name__ == "__main__":
    PICTURE.write_text(fresh_picture(), encoding="utf-8")
