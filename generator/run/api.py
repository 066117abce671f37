"""The same rows, formats and checks from Python. Nothing is printed; errors are those of `generator.core.errors`.

from generator import load_recipe, rows

for row in rows(load_recipe("parallel"), 0, 10):
    print(row.scenario, row.to("openai")[0]["messages"])
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generator.core.claims import Proof
from generator.core.conversation import Conversation, Violation
from generator.core.documents import Document, nearest, parse_json
from generator.core.errors import FormatError, LlmError, RecipeError, RowError
from generator.core.files import here_or_shipped
from generator.corpus import Case, cases, model_outputs
from generator.episodes.episode import Episode
from generator.episodes.rewards import call_reward
from generator.formats import FORMATS, Format, format_options
from generator.formats.files.validate import check_raw
from generator.formats.run_folder.files import Layout
from generator.recipe import Recipe
from generator.recipe import load_recipe as load_recipe_file
from generator.recipe.load import load_recipe_document
from generator.run.engine.checked_row import FailedRow, make_checked_row
from generator.run.engine.lines import BlockLines
from generator.run.episodes import RecipeTasks
from generator.run.row import MadeRow, PreparedRecipe, prepare
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

__all__ = [
    "Case",
    "LoadedRecipe",
    "MadeConversation",
    "cases",
    "convert",
    "load_recipe",
    "model_outputs",
    "open_episode",
    "rows",
    "score",
    "validate",
]


class LoadedRecipe:
    """A recipe with its tools, ready to make rows. Make one with `load_recipe`."""

    def __init__(self, prepared: PreparedRecipe) -> None:
        self._prepared = prepared
        self._lines = BlockLines(Layout(), prepared)

    @property
    def recipe(self) -> Recipe:
        """What the recipe says, as plain data: name, seed, rows, scenarios and the rest."""
        return self._prepared.recipe

    def row(self, index: int) -> "MadeConversation":
        """Return the row of the run with this index, from 0; raises RowError when it cannot be made.

        Which script a row is of depends on the rows before it: a far row of a recipe with scripts takes some 6 us for each of them.
        """
        if index < 0:
            raise RowError(f"there is no row {index}: rows are counted from 0")
        made = make_checked_row(self._prepared, index)
        if isinstance(made, FailedRow):
            raise RowError(made.why, made.rejected)
        return MadeConversation(made, self._lines)


class MadeConversation:
    """A finished row: its conversation, and the proof of where each value comes from."""

    def __init__(self, made: MadeRow, lines: BlockLines) -> None:
        self._made = made
        self._lines = lines

    @property
    def index(self) -> int:
        """Index of the row in its run."""
        return self._made.row.index

    @property
    def scenario(self) -> str:
        """Name of the scenario."""
        return self._made.row.scenario

    @property
    def tags(self) -> tuple[str, ...]:
        """What else is said of the row."""
        return self._made.row.tags

    @property
    def conversation(self) -> Conversation:
        """The messages and the tools on offer; arguments are native objects."""
        return self._made.row.conversation

    @property
    def proof(self) -> Proof:
        """Claims about every value, with message and character span."""
        return self._made.row.proof

    def to(self, format: str) -> list[dict[str, Any]]:  # noqa: A002
        """Return the row's records in a format, as `run` writes them: one, or several where the format unrolls a row.

        Args:
            format: Full name of a format, such as `openai` or `trl-prompt_completion`.

        Raises:
            CannotCarryError: when the format has no place for something in the row.
            FormatError: when there is no such format.
        """
        return self._lines.records(_known_format(format).name, self._made)


def load_recipe(recipe: str | Path | Mapping[str, Any], folder: str | Path = ".") -> LoadedRecipe:
    """Return a recipe with its tools, ready to make rows.

    Args:
        recipe: A file, the name of a recipe that comes with the program (`parallel`), or what such a file says, as a dict.
        folder: For a dict: the folder that paths in it are relative to.

    Raises:
        RecipeError: when the recipe has faults; the message names each with its line.
        GeneratorError: for tools that cannot be used, and scenarios that they cannot serve.
    """
    scenarios, options = {**SCENARIOS, **DOCUMENT_SCENARIOS}, format_options()
    if isinstance(recipe, Mapping):
        path = str(Path(folder) / "recipe.json")
        text = json.dumps(dict(recipe), indent=1, default=str)
        document = Document(path, text, parse_json(text, path, RecipeError))
        loaded = load_recipe_document(document, scenarios=scenarios, formats=FORMATS, format_options=options)
    else:
        file = here_or_shipped(Path(recipe))
        loaded = load_recipe_file(file, scenarios=scenarios, formats=FORMATS, format_options=options)
    if loaded.llm is not None:
        raise LlmError(f"{loaded.path}: asks a model; only the command `run` makes such rows")
    return LoadedRecipe(prepare(loaded))


def rows(recipe: LoadedRecipe, start: int = 0, stop: int | None = None) -> Iterator[MadeConversation]:
    """Yield rows [start, stop). Each depends on the recipe, its tools, the seed and its own index alone.

    So any number of processes can make parts of one data set. What looks across rows (`unique`, `dedup`, `max_share`) is
    done by the command `run` only.

    Args:
        recipe: The recipe.
        start: Index of the first row.
        stop: Index behind the last row; None: as many as the recipe says.

    Raises:
        RowError: when a row cannot be made.
    """
    for index in range(start, recipe.recipe.rows if stop is None else stop):
        yield recipe.row(index)


def open_episode(recipe: LoadedRecipe) -> Episode:
    """Return an episode in which the rows of a recipe can be played, one after the other: `reset(index)` begins one (docs/episodes.md).

    Args:
        recipe: The recipe.

    Raises:
        PlanError: when its rows cannot be played.
    """
    return RecipeTasks(recipe._prepared).episode()


def validate(record: Any, format: str = "deepfabric") -> list[Violation]:  # noqa: A002
    """Return the violations of a record: rule code, JSON path and message of each. It is empty for a good record.

    Args:
        record: The record as JSON values.
        format: Full name of the format it is in.

    Raises:
        FormatError: when there is no such format.
    """
    return check_raw(record, _known_format(format))


def convert(record: Any, source: str, target: str) -> dict[str, Any]:
    """Return a record of one format as a record of another.

    Args:
        record: The record as JSON values.
        source: Full name of the format it is in.
        target: Full name of the format that is wanted.

    Raises:
        FormatError: when the record is not in that format, or there is no such format.
        CannotCarryError: when the other format has no place for something in it.
    """
    return _known_format(target).render(_known_format(source).parse(record))


def score(completion: Any, answer: Any, format: str | None = None) -> float:  # noqa: A002
    """Return how right a completion is, from 0 to 1; see `generator.episodes.rewards.call_reward`.

    Args:
        completion: A text in the words of a chat template, an OpenAI message, or a list of calls.
        answer: The `answer` of a record of the format `eval`.
        format: Name of the text format that calls are written in; None: all are tried.

    Raises:
        FormatError: when the answer is none, or there is no such text format.
    """
    return call_reward(completion, answer, format=format)


def _known_format(name: str) -> Format:
    """Return the format of a name; raises FormatError, with the nearest name, when there is none."""
    if name not in FORMATS:
        raise FormatError(f"there is no format {name!r}{nearest(name, FORMATS)}")
    return FORMATS[name]
