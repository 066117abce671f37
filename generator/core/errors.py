"""Every error this package raises on purpose.

GeneratorError                 one clear message for a person; the command line prints it and exits 2
├── RecipeError                a recipe says something that cannot be
├── SpecError                  a tool spec file cannot be read or understood
│   └── SchemaError            a JSON Schema in it is unsatisfiable or uses what is not handled
├── PromptError                a portable JSON prompt is wrong, or cannot be filled with these values
├── PlanError                  the tools cannot serve a scenario
├── RowError                   a row could not be made although the recipe is right
│   └── CannotFillError        the values that were drawn do not fit the plan; another attempt will
├── FormatError                a text or record is not in the format it should be in
├── CannotCarryError           a format cannot represent a conversation
├── BackendError               what answers calls never does
├── LlmError                   a model cannot be asked: no key, wrong key, unknown model, no server
│   └── StoppedError           asking stopped in the middle (exit code 3): what is done is kept, and goes on later
└── OutputError                a file or folder cannot be written or read

To add one: a subclass here, a line in the tree above. Faults of data that is being *checked* are
not exceptions: they are `conversation.Violation` values, because there can be many of them.
"""

import shlex
from typing import Any


def installing(extra: str) -> str:
    """Return, for a message, how what an optional extra of this package needs is installed."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = [
            line.partition(";")[0].strip()
            for line in requires("tool-use-generator") or ()
            if line.replace("'", '"').endswith(f'extra == "{extra}"')
        ]
    except PackageNotFoundError:  # the code alone was copied
        needed = []
    return f"pip install {shlex.join(needed)}" if needed else f"install the extra {extra!r} of tool-use-generator"


class GeneratorError(Exception):
    """Base of all errors that carry one message a person can act on."""

    exit_code = 2


class RecipeError(GeneratorError):
    """A recipe has an unknown key, a wrong value, or names a file that is not there."""

    def __init__(self, message: str, place: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.place = place
        """Keys that lead to the fault, where the message does not tell file and line yet."""


class SpecError(GeneratorError):
    """A tool spec file cannot be read, or what it says beside the function is wrong."""


class SchemaError(SpecError):
    """A JSON Schema is unsatisfiable, or uses a keyword that is not handled."""


class PromptError(GeneratorError):
    """A portable JSON prompt is wrong, or its variables cannot have the values that they are given."""


class PlanError(GeneratorError):
    """The loaded tools cannot serve a scenario; the message says which link or tool is missing."""


class RowError(GeneratorError):
    """A row failed every attempt; the message says why the last one failed."""

    def __init__(self, message: str, rejected: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.rejected = rejected
        """The attempts that failed, as `generator.run.row` returns them."""


class CannotFillError(RowError):
    """The values that were drawn do not fit the plan of a row; another attempt will."""


class FormatError(GeneratorError):
    """A record or text is not in the format it was read as; the message says where and why."""


class CannotCarryError(GeneratorError):
    """A format has no way to write this conversation; the message names the value and the reason."""


class BackendError(GeneratorError):
    """What answers the calls of a tool never does; the message says what came instead of answers."""


class LlmError(GeneratorError):
    """A model cannot be asked; the message names the setting that is at fault."""


class StoppedError(LlmError):
    """A budget is reached, a server keeps failing, or an answer is missing from the cache in a cache-only run."""

    exit_code = 3


class OutputError(GeneratorError):
    """A file or folder cannot be written or read."""
