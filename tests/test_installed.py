"""The wheel, alone in an empty folder: what a newcomer does first works without this repository."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
from nightly import night

import generator

ROOT = Path(__file__).parent.parent
Run = Callable[..., str]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the wheel, built from a copy of what is in it."""
    made = tmp_path_factory.mktemp("wheel")
    source = made / "source"
    for name in ("generator", "recipes", "tool_specs"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
    subprocess.run(build, cwd=source, check=True, capture_output=True, timeout=120)
    with zipfile.ZipFile(next(made.glob("*.whl"))) as wheel:
        wheel.extractall(made / "site")
    for path in (made / "site" / "generator").rglob("*.py"):
        _as_compiled_here(path, ROOT / path.relative_to(made / "site"))
    return made / "site"


def _as_compiled_here(path: Path, own: Path) -> None:
    """Give a module of the wheel the bytecode of the same module here, which takes longer to make than to run the commands."""
    compiled = Path(cache_from_source(str(own)))
    if not own.is_file() or not compiled.is_file() or own.read_bytes() != path.read_bytes():
        return
    shutil.copystat(own, path)
    there = Path(cache_from_source(str(path)))
    there.parent.mkdir(exist_ok=True)
    shutil.copy(compiled, there)


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Run:
    """`run("run", "parallel")` is that command in an empty folder, where only the wheel's code can be found."""

    def call(*words: str, code: int = 0, **more: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "generator", *words],
            cwd=tmp_path,
            env={
                "PYTHONPATH": str(installed),
                "PATH": os.environ["PATH"],
                "XDG_CACHE_HOME": str(installed.parent),
                **more,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    return call


def test_a_recipe_by_its_name_and_by_the_path_that_the_readme_says(run: Run, tmp_path: Path):
    run("run", "parallel", "--rows", "4", "--quiet")
    run("run", "recipes/parallel.yaml", "--rows", "4", "--quiet", "--out", "again")
    assert (tmp_path / "outputs/parallel/openai.jsonl").read_bytes() == (tmp_path / "again/openai.jsonl").read_bytes()
    assert "Row 3 · " in run("show", "outputs/parallel", "--row", "3")
    assert 'did you mean "parallel"' in run("run", "paralel", code=2)
    assert str(tmp_path) not in run("tools", "read", "tool_specs/mcp/fieldworks.json")


def test_a_folder_for_ones_own_tools(run: Run, tmp_path: Path):
    function = {"name": "ring_bell", "description": "Ring a bell.", "parameters": {
        "type": "object", "properties": {"times": {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["times"],
    }}  # fmt: skip
    (tmp_path / "my.json").write_text(json.dumps([{"type": "function", "function": function}]))
    out = run("init", "mine", "--tools", "my.json")
    assert "mine/recipe.yaml" in out
    commands = [line.split()[2:] for line in out.splitlines() if line.startswith("  python -m ")]
    assert [command[1] for command in commands] == ["run", "browse"]
    text = (tmp_path / "mine/recipe.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=recipe.schema.json\n")
    assert '- "../my.json"' in text
    assert re.search(r"^  single: 3 +# one request", text, re.MULTILINE)
    assert re.search(r"^#   sequential: needs ", text, re.MULTILINE)
    assert json.loads((tmp_path / "mine/recipe.schema.json").read_text())["title"] == "Recipe"
    assert (tmp_path / "mine/.gitignore").read_text() == "outputs/\n"
    run("run", "mine/recipe.yaml", "--rows", "30", "--quiet")
    assert len((tmp_path / "outputs/mine/openai.train.jsonl").read_bytes().splitlines()) > 20
    assert "is there already" in run("init", "mine", code=2)


@night
def test_a_folder_for_an_example_and_for_what_cannot_be(run: Run, tmp_path: Path):
    run("init", "My first: set")
    assert "name: my_first_set\n" in (tmp_path / "My first: set/recipe.yaml").read_text()
    run("run", "My first: set/recipe.yaml", "--rows", "5", "--quiet")
    (tmp_path / "none.json").write_text("[]")
    for words in (["--tools", "none.json"], ["--tools", "nothing.json"], ["--mcp", "'"], ["--mcp", "no-such-program"]):
        assert "Traceback" not in run("init", "other", *words, code=2)
        assert not (tmp_path / "other").exists()


@night
def test_a_server_is_asked_once(run: Run, tmp_path: Path):
    pytest.importorskip("mcp", reason="mcp is not installed: pip install -e '.[mcp]'")
    server = 'from mcp.server.fastmcp import FastMCP\napp = FastMCP("x")\n@app.tool()\ndef ring(times: int) -> str:\n    """Ring a bell."""\n    return "ok"\napp.run()\n'
    (tmp_path / "server.py").write_text(server)
    run("init", "mine", "--mcp", f"{sys.executable} server.py")
    (tmp_path / "server.py").unlink()
    run("run", "mine/recipe.yaml", "--rows", "5", "--quiet")


def test_a_shell_completes_commands_and_recipes(run: Run):
    assert "_tool_use_generator_completion" in run("completion", "bash")
    words = {"COMP_WORDS": "tool-use-generator run para", "COMP_CWORD": "2"}
    program = "import sys; sys.argv[0] = 'tool-use-generator'; from generator.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"_TOOL_USE_GENERATOR_COMPLETE": "bash_complete", "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **words},
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["plain,parallel", "file,para"]


@pytest.mark.parametrize("folder", ["generator", "recipes", "tool_specs"])
def test_every_file_is_in_the_package(folder: str, installed: Path):
    """So the commands that tests/test_readme.py runs here run there, too; at night they do."""
    there = installed / ("" if folder == "generator" else "generator/share") / folder
    wanted = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert [path for path in wanted if "__pycache__" not in path.parts and not (there / path).is_file()] == []


def test_what_the_package_says_of_itself(installed: Path):
    assert (installed / "generator/py.typed").is_file()
    about = next(installed.glob("*.dist-info"))
    assert "tool-use-generator = generator.cli:main" in (about / "entry_points.txt").read_text()
    metadata = (about / "METADATA").read_text()
    assert f"\nVersion: {generator.__version__}\n" in metadata
    assert "\nClassifier: Typing :: Typed\n" in metadata
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == generator.__version__


def test_every_dependency_has_a_floor_a_ceiling_and_a_pinned_version_with_hashes():
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    pinned = (ROOT / "docs/constraints.txt").read_text()
    for line in wanted:
        name = re.match(r"[A-Za-z0-9-]+", line)
        assert name is not None
        assert re.fullmatch(r"[A-Za-z0-9-]+>=[\d.]+,<[\d.]+", line), line
        assert re.search(rf"^{name[0].lower()}==\S+ (;.* )?\\\n    --hash=sha256:", pinned, re.MULTILINE), name[0]


def test_editors_find_the_schema_of_every_recipe():
    from generator.cli.init import schema_text

    assert (ROOT / "recipes/recipe.schema.json").read_text() == f"{schema_text()}\n", "python -m generator schema"
    for path in (ROOT / "recipes").glob("*.yaml"):
        assert path.read_text().startswith("# yaml-language-server: $schema=recipe.schema.json\n"), path.name


TASKS = {
    "Two commands": ["run recipes/parallel.yaml"],
    "I fine-tune a model": ["run recipes/train.yaml", "run tuning"],
    "I write a parser": ["run recipes/fuzz_parsers.yaml", "corpus check outputs/fuzz_parsers"],
    "I have my own tools": ["init mine", "run mine/recipe.yaml"],
    "I train or test agents": ["episodes play recipes/conversations.yaml"],
}
"""What a newcomer does first, by the section of README.md: how its commands begin."""


@night
@pytest.mark.parametrize("task", TASKS)
def test_a_newcomers_tasks_are_done_from_the_readme_alone(task: str, run: Run, tmp_path: Path):
    section = (ROOT / "README.md").read_text().partition(f"\n## {task}\n")[2].partition("\n## ")[0]
    commands = re.findall(r"^(?:.* && \S+)?python -m generator (.*?)(?: +#.*)?$", section, re.MULTILINE)
    assert [command[: len(begins)] for command, begins in zip(commands, TASKS[task], strict=True)] == TASKS[task]
    for code in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
        (tmp_path / "parser.py").write_text(code)
    for command in commands:
        words = shlex.split(command)
        if words[0] == "run" and "--rows" not in words:
            words += ["--rows", "12"]
        if words[:2] == ["run", "tuning"]:
            words += ["--rows", "12"]
        out = run(*words, code=int(words[0] == "corpus"))  # faults are found in the parser that the page shows
    if task == "I write a parser":
        (shown,) = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
        assert shown in out
    if task == "I fine-tune a model":
        code = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0].replace(
            "outputs/tuning", f"{tmp_path}/outputs/tuning"
        )
        given: dict[str, Any] = {}
        exec(code.replace('split="train"', f'split="train", cache_dir="{tmp_path}/cache"'), given)
        assert [sorted(row) for row in given["data"]][:1] == [["messages", "tools"]]
