"""The benchmarks run, at a size that says nothing about speed; those that take seconds run at night (mypy reads all in each run)."""

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

from browser import needs_browser
from made_rows import made_row, recipe, write_rows
from measured import weather, write
from nightly import night
from tiny_run import tiny_recipe

from benchmarks.fine_tune.sets import EXPERIMENT, make, texts_of, training_of
from generator.core.yaml_values import read_yaml

ROOT = Path(__file__).parents[1]


@night
def test_whole_runs(tmp_path: Path):
    tiny_recipe(tmp_path, 1)
    sizes = ["--rows", "60", "--rounds", "1", "--small", "30", "--large", "60"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.run", "--recipe", str(tmp_path / "recipe.yaml")),
            *(*sizes, "--json", str(tmp_path / "report.json")),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    measured = json.loads((tmp_path / "report.json").read_text())["measured"]
    for name, value in measured.items():
        assert value >= 0
        assert f"| {name.replace('_', ' ')} | " in done.stdout
    assert measured["help_slow_imports"] == 0
    assert measured["memory_mb"] > 10


def test_draws(tmp_path: Path):
    command = [
        sys.executable,
        "benchmarks/draws.py",
        "--draws",
        "10",
        "--rounds",
        "1",
        "--json",
        str(tmp_path / "report.json"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    measured = json.loads((tmp_path / "report.json").read_text())
    assert len(measured) == 8
    assert all(row["this program"].endswith(" µs, 100%") for row in measured.values())
    assert all(f"| {name} | " in done.stdout for name in measured)


@night
def test_quality(tmp_path: Path):
    tiny_recipe(tmp_path, 1)
    options = ["--recipe", str(tmp_path / "recipe.yaml"), "--rows", "8", "--json", str(tmp_path / "report.json")]
    command = [sys.executable, "benchmarks/quality.py", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    measured = json.loads((tmp_path / "report.json").read_text())
    assert measured["recipe"]["violations.rows"] == 0
    assert "| most frequent opener |" in done.stdout


def test_formats(tmp_path: Path):
    tiny_recipe(tmp_path, 1)
    options = ["--recipe", str(tmp_path / "recipe.yaml"), "--rows", "4", "--rounds", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.formats", *options, "--json", str(tmp_path / "report.json")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["deepfabric"]["rows"] == 4
    assert all(name in done.stdout for name in report)


@night
def test_asking_a_model(tmp_path: Path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.llm", "--scale", "0.01", "--rounds", "1", "--without-litellm"),
            *("--case", "32 in flight"),
            *("--json", str(tmp_path / "report.json")),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    measured = json.loads((tmp_path / "report.json").read_text())["measured"]
    assert set(measured["32 in flight"]) == {"ours", "aiohttp"}
    for name, found in measured.items():
        assert found["ours"]["requests"] > 0
        assert f"| {name} | ours | " in done.stdout


@night
def test_cases_of_a_corpus(tmp_path: Path):
    command = [sys.executable, "-m", "benchmarks.corpus", "--cases", "2", "--json", str(tmp_path / "report.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    measured = json.loads((tmp_path / "report.json").read_text())
    assert set(measured["all"]) == {"made", "written", "plain"}
    assert min(measured["all"].values()) > 0
    assert "| hermes | " in done.stdout


def test_convert(tmp_path: Path):
    tiny_recipe(tmp_path, 1)
    options = ["--recipe", str(tmp_path / "recipe.yaml"), "--rows", "4", "--rounds", "1", "--pair", "openai:trl"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.convert", *options, "--json", str(tmp_path / "report.json")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["openai:trl"]["rows"], report["openai:trl"]["left_out"]) == (4, 0)
    assert "| openai:trl | 4 | 0 |" in done.stdout


@night
def test_own_tools(tmp_path: Path):
    command = [
        sys.executable,
        "benchmarks/own_tools.py",
        "--servers",
        "tickets",
        "--rows",
        "4",
        "--rounds",
        "1",
        "--checks",
        "1",
        "--json",
        str(tmp_path / "report.json"),
    ]
    done = subprocess.run(
        [*command, str(ROOT / "tool_specs/mcp/fieldworks.json")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads((tmp_path / "report.json").read_text())
    assert list(report["rows"]) == ["level 3", "level 2", "level 1"]
    assert report["specs"]["fieldworks.json"]["tools"] == 25


@night
def test_scale(tmp_path: Path):
    tiny_recipe(tmp_path, 1)
    sizes = ["--rows", "40", "--small", "20", "--large", "40", "--blocks", "4"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.scale",
            "--recipe",
            str(tmp_path / "recipe.yaml"),
            *sizes,
            "--json",
            str(tmp_path / "report.json"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, "")
    measured = json.loads((tmp_path / "report.json").read_text())
    assert {"microseconds_per_row", "bytes_per_row", "equal_on_disk_microseconds_per_row"} <= set(measured)
    assert all(f"| {rows:,} | " in done.stdout for rows in (10**6, 10**8, 10**9))


def test_the_experiment_trains_on_the_shipped_recipe_without_the_tools_that_it_asks_about(tmp_path: Path):
    settings = training_of("train")
    shipped = read_yaml((ROOT / "recipes/train.yaml").read_text())[0]
    assert {key: settings[key] for key in ("scenarios", "arguments", "no_call", "offer", "train")} == {
        key: shipped[key] for key in ("scenarios", "arguments", "no_call", "offer", "train")
    }
    asked = {Path(tool).stem for one in EXPERIMENT["sets"].values() for tool in one.get("tools", ())}
    left_out = [tool for tool in shipped["tools"] if tool not in settings["tools"]]
    assert {Path(tool).stem for tool in left_out} == asked & {Path(tool).stem for tool in shipped["tools"]}
    made = make("few", {**settings, "tools": settings["tools"][-3:]}, tmp_path, 8)
    assert len(list(texts_of(made))) >= 8


def test_fine_tuning_without_torch_says_how_it_is_used_and_what_is_missing():
    script = "import runpy, sys; sys.modules['torch'] = None; runpy.run_path(sys.argv[0], run_name='__main__')"

    def told(*words: str) -> tuple[int, str]:
        code = f"import sys; sys.argv = ['benchmarks/fine_tune/fine_tune.py', *{words!r}]; {script}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
        return done.returncode, done.stdout + done.stderr

    assert told("--help")[0] == 0
    code, text = told("outputs")
    assert code == 1
    assert text.startswith("not installed: torch")
    assert "Traceback" not in text


@needs_browser
def test_opening_the_page_of_browse(tmp_path: Path):
    rows = write(tmp_path / "rows.jsonl", [weather(f"{n}?", str(n)) for n in range(3)])
    command = [sys.executable, "benchmarks/browse.py", str(rows), "--times", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    assert re.match(r"3 rows: 0.0 MB, [\d,]+ ms .*\n1 row: 0.0 MB, [\d,]+ ms ", done.stdout)


@needs_browser
def test_the_pictures_of_the_page(tmp_path: Path):
    write_rows(recipe(6, "openai"), [made_row(index) for index in range(6)], tmp_path / "run")
    command = [sys.executable, "docs/pictures.py", str(tmp_path / "run"), "--to", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=240)
    sizes = {file.name: struct.unpack(">II", file.read_bytes()[16:24]) for file in tmp_path.glob("*.png")}
    assert sizes == {"browse.png": (1280, 800), "browse-phone.png": (792, 844)}
    for name, size in sizes.items():
        kept = (ROOT / "docs" / name).read_bytes()
        assert (kept[:4], struct.unpack(">II", kept[16:24]), len(kept) < 250_000) == (b"\x89PNG", size, True)
