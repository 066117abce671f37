"""The command line: `python -m generator _COMMAND`.

Each command imports what it needs when it runs, so that `--help` is instant. Exit codes: 0 good, 1 the data is bad, 2 the input is bad, 3 stopped and can go on, 130 interrupted. It may import every room.
"""

import atexit
import errno
import gc
import os
import sys
from contextlib import suppress
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import click

from generator import __version__
from generator.cli.convert import convert
from generator.cli.corpus import corpus
from generator.cli.episodes import episodes
from generator.cli.init import init, schema
from generator.cli.prompt import prompt
from generator.cli.report import report, score
from generator.cli.run import merge, run, verify
from generator.cli.screen.terminal import capped, printable
from generator.cli.show import browse, llm, show
from generator.cli.tools import author, describe, tools
from generator.cli.validate import validate
from generator.core.errors import GeneratorError
from generator.core.files import is_of_store

_COMMAND = "tool-use-generator"
"""The console script; `python -m generator` is the same program, but no shell completes the arguments of a module."""


@click.command(short_help="Print a script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which SHELL completes the words behind `tool-use-generator`.

    bash and zsh: eval "$(tool-use-generator completion bash)"; fish: tool-use-generator completion fish | source
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    command = click.get_current_context().find_root().command
    click.echo(made(command, {}, _COMMAND, f"_{_COMMAND.upper().replace('-', '_')}_COMPLETE").source())


INTERRUPTED = 130


class _NobodyReadsError(Exception):
    """Whoever read our output has enough."""


class _Program(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """As click does, which takes a broken pipe for a failure and exits 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _NobodyReadsError from None


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(version)s")
def program() -> None:
    """Make synthetic tool-use conversations: planned, proven, validated, in many formats."""


for _command in (
    *(init, run, merge, validate, convert, verify, show, browse, report, score, episodes, tools, prompt, corpus),
    *(schema, completion, llm),
):
    program.add_command(_command)


for _command in (describe.describe, author.author, describe.check, describe.show):
    tools.add_command(_command)


def main() -> NoReturn:
    """Run the command that the process was started with, and exit."""
    atexit.register(
        gc.freeze
    )  # all goes at the end: the interpreter need not look through it for cycles, which takes long
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run()
        sys.stdout.flush()
    except (BrokenPipeError, _NobodyReadsError):
        _let_go_of_stdout()
        code = 0
    except OSError as fault:  # the terminal or the file that stdout leads to: our own files have errors of their own
        _let_go_of_stdout()
        too_many = "no more files can be opened" if fault.errno in (errno.EMFILE, errno.ENFILE) else ""
        _print_error(f"{too_many or 'the output cannot be written'} ({fault.strerror or fault})")
        code = 2
    sys.exit(code)


def _open_closed_streams() -> None:
    """Whoever closed a stream (`>&-`) does not want to know; no file of ours may get its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))
    if type(sys.stderr) is TextIOWrapper:  # not where a test or a notebook has put something else
        sys.stderr = _Unheard(sys.stderr.detach(), "utf-8", "backslashreplace", line_buffering=True)


class _Unheard(TextIOWrapper):
    """Standard error, which nobody may be reading any more: what cannot be printed stops nothing."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def _print_error(message: str) -> None:
    click.echo(printable(capped(message)), err=True)


def _run() -> int:
    """Exit code of the command; whatever went wrong is printed as one message."""
    try:
        name = _COMMAND if Path(sys.argv[0]).stem == _COMMAND else "python -m generator"
        return int(program.main(prog_name=name, standalone_mode=False) or 0)
    except GeneratorError as error:
        _print_error("\n".join([str(error), *getattr(error, "__notes__", ())]))
        return error.exit_code
    except click.ClickException as error:
        with StringIO() as told:
            error.show(told)
            _print_error(told.getvalue().rstrip("\n"))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _print_error("Interrupted.")
        return INTERRUPTED
    except Exception as error:  # wherever a command looks at an object, its store may fail
        if not is_of_store(error):
            raise
        _print_error(f"the object store does not answer as it should ({type(error).__name__}: {error})")
        return 2


def _let_go_of_stdout() -> None:
    """Whoever read our output has enough; do not complain when the interpreter closes it."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
