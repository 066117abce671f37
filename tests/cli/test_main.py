"""The command line as a whole: instant help, exit codes, one message for what is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Command

import generator.cli
from generator.cli import program
from generator.cli.screen.terminal import on_one_line, printable
from generator.core.errors import OutputError

ROOT = Path(__file__).parents[2]
HEAVY = {
    *("rich", "pydantic", "yaml", "jsonschema", "jsonschema_rs", "hypothesis", "faker", "litellm", "msgspec", "orjson"),
    *("generator.run", "generator.formats", "generator.recipe"),
}
SLOW = {"hypothesis", "faker", "litellm", "jsonschema", "rich"}


def imported(*arguments: str) -> set[str]:
    """Modules that a command imports."""
    code = "import sys; sys.argv[1:] = sys.argv[2:]; from generator.cli import main\ntry: main()\nfinally: sys.stderr.write('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, "", *arguments], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return set(done.stderr.splitlines())


class TestStart:
    @pytest.mark.parametrize(
        "arguments",
        [["--help"], ["run", "--help"], ["validate", "-h"], ["show", "--help"], ["report", "--help"], ["--version"]],
    )
    def test_help_imports_nothing_heavy(self, arguments: list[str]):
        assert imported(*arguments) & HEAVY == set()

    def test_validate_imports_nothing_slow(self):
        assert imported("validate", os.devnull) & SLOW == set()

    def test_every_command_explains_itself(self, cli: Command):
        names = "browse completion convert corpus episodes init llm merge prompt report run schema score show tools validate verify"
        assert sorted(program.commands) == names.split()
        for name, cmd in program.commands.items():
            ran = cli(name, "--help")
            assert ran.code == 0
            assert len(ran.out.splitlines()) > 4
            assert all(getattr(option, "help", "") for option in cmd.params if option.param_type_name == "option")

    def test_as_a_module(self):
        done = subprocess.run(
            [sys.executable, "-m", "generator", "--version"], capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert done.stdout.strip() == "0.1.0"


class TestExit:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["rnu"], "No such command"),
            (["run"], "Missing argument"),
            (["run", "nothing.yaml"], "nothing.yaml: there is no such file"),
            (["run", "nothing.yaml", "--rows", "many"], "'many' is not a valid integer"),
            (["run", "nothing.yaml", "--workres", "3"], "No such option"),
            (["show", "nothing.jsonl"], "nothing.jsonl: there is no such file"),
            (["show", "nothing.jsonl", "--index", "-1"], "--index"),
            (["validate"], "Missing argument"),
            (["validate", "nothing.jsonl"], "nothing.jsonl: there is no such file"),
        ],
    )
    def test_wrong_input_is_2_and_one_message(self, cli: Command, arguments: list[str], words: str):
        ran = cli(*arguments)
        assert ran.code == 2
        assert words in ran.err
        assert "Traceback" not in ran.err

    @pytest.mark.parametrize("error", [KeyboardInterrupt, EOFError])
    def test_an_interruption_is_130(self, cli: Command, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]):
        def stop(**_: object) -> None:
            raise error

        monkeypatch.setattr(program.commands["schema"], "callback", stop)
        ran = cli("schema")
        assert ran.code == 130
        assert ran.err.strip() == "Interrupted."

    def test_messages_obey_no_escape_codes(self, cli: Command, monkeypatch: pytest.MonkeyPatch):
        def fail(**_: object) -> None:
            raise OutputError("a\x1b[2Jb\u202ec")

        monkeypatch.setattr(program.commands["schema"], "callback", fail)
        assert cli("schema").err == "a\\x1b[2Jb\\u202ec\n"

    def test_a_reader_that_has_enough_is_no_fault(self):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {sys.executable} -m generator schema | true"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        assert done.stderr == ""

    def test_output_that_the_encoding_lacks_is_escaped(self):
        code = "import click\nfrom generator import cli\ncli._run = lambda: click.echo('caf\\u00e9 \\u2190') or 0\ncli.main()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONIOENCODING": "latin-1"},
            check=True,
        )
        assert done.stdout == b"caf\xe9 \\u2190\n"


class TestPrintable:
    @pytest.mark.parametrize(
        ("text", "safe"),
        [
            ("plain, Zürich, 東京, 👩‍🚀\ttab\n", "plain, Zürich, 東京, 👩‍🚀\ttab\n"),
            ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
            ("over\rwrite\x08\x7f\x9b31m", "over\\x0dwrite\\x08\\x7f\\x9b31m"),
            ("\u202eturned\u2066\u200b\ufeff\U000e0041", "\\u202eturned\\u2066\\u200b\\ufeff\\U000e0041"),
            ("\ud800", "\\ud800"),
            ("[bold]markup[/bold] :smile:", "[bold]markup[/bold] :smile:"),
        ],
    )
    def test_shows_what_would_steer(self, text: str, safe: str):
        assert printable(text) == safe

    def test_on_one_line(self):
        assert on_one_line("a\nb\tc") == "a\\nb\\tc"


def test_the_package_exports_main():
    assert callable(generator.cli.main)
