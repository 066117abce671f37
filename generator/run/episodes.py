"""The rows of a recipe as episodes, and a model that plays them, many at once."""

import asyncio
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage
from generator.core.errors import PlanError, StoppedError
from generator.episodes import Task
from generator.episodes.episode import Episode, Limits
from generator.episodes.player import play, reference_requests
from generator.episodes.replay import entry_of, transcript_of
from generator.episodes.scoring import Score
from generator.episodes.table import Table
from generator.llm.asking import Account, Estimated, tokens_in
from generator.llm.session import Session
from generator.recipe import Recipe
from generator.recipe.combinations import why_unplayable
from generator.recipe.load import places_of_models
from generator.report.files.contamination import split_of
from generator.run.engine.checked_row import FailedRow, make_checked_row
from generator.run.prepared import PreparedRecipe, with_lines
from generator.run.usable import prepare_usable
from generator.run.worlds import OpenWorlds
from generator.world.outcome import World

_KEPT = 256
"""Rows that are kept: several episodes of one row follow each other, as a rule."""


class RecipeTasks:
    """The rows of a prepared recipe, ready to be played.

    Raises:
        PlanError: for a recipe whose calls are answered by something that cannot be opened again as it was.
    """

    def __init__(self, prepared: PreparedRecipe) -> None:
        why = why_unplayable(prepared.recipe)
        with with_lines(prepared.recipe, ("backend",)):
            if why:
                raise PlanError(why)
        self.prepared = prepared
        self._worlds = OpenWorlds(prepared.recipe, prepared.toolbox, prepared.seed, prepared.backend)
        self.lock = self._worlds.lock
        self._known: dict[int, Task] = {}

    @property
    def rows(self) -> int:
        """How many rows the recipe says; others can be played, too."""
        return self.prepared.recipe.rows

    def splits(self) -> dict[str, Sequence[int]]:
        """Return the indices of the recipe's rows by split; all are in `train` where it has no splits."""
        recipe = self.prepared.recipe
        if not recipe.splits:
            return {"train": range(self.rows)}
        indexes_by_split = {name: array("q") for name, _ in recipe.splits}
        split = split_of(recipe)
        for index in range(self.rows):
            indexes_by_split[split(index) or ""].append(index)
        return dict(indexes_by_split)

    def task(self, index: int) -> Task:
        """Return a row that can be played; the last ones are kept, since several episodes of a row follow each other.

        Raises:
            RowError: when it cannot be made.
            PlanError: when it is a document, which nobody can play.
        """
        with self.lock:
            task = self._known.get(index)
            if task is None:
                if len(self._known) >= _KEPT:
                    del self._known[next(iter(self._known))]
                task = self._known[index] = self._make_task(index)
            return task

    def _make_task(self, index: int) -> Task:
        """Make the row and return it as a task; raises PlanError when it cannot be made or played."""
        if index < 0:
            raise PlanError(f"row {index}: rows are counted from 0")
        made = make_checked_row(self.prepared, index)
        if isinstance(made, FailedRow):
            raise PlanError(made.why)
        if made.opening is None:
            raise PlanError(f"row {index} is a document ({made.row.scenario}): there is nobody to talk to")
        return Task(row=made.row, opening=made.opening, toolbox=self.prepared.for_row(index).toolbox)

    def world(self, task: Task) -> AbstractContextManager[World]:
        """Open the world of a row."""
        return self._worlds.world(task)

    def episode(self, limits: Limits | None = None) -> Episode:
        """Return an episode that any of the rows can be played in, one after the other."""
        return Episode(self, limits)


def open_recipe(recipe: Recipe) -> RecipeTasks:
    """Load and compile what a recipe names, and return its rows.

    Raises:
        GeneratorError: for tools that cannot be used, and for a recipe whose rows cannot be played.
    """
    recipe = as_planned(recipe)
    if recipe.llm is not None:
        with with_lines(recipe, ("llm",)):
            raise PlanError("a model has a part in the rows of this recipe: play one without `llm`")
    return RecipeTasks(prepare_usable(recipe))


def as_planned(recipe: Recipe) -> Recipe:
    """Return a recipe without the model that plays its rows: these are then as they are before it does, in the templates' words."""
    if recipe.solve is None:
        return recipe
    alone = len(list(places_of_models(recipe))) == 1
    return msgspec.structs.replace(recipe, solve=None, llm=None if alone else recipe.llm)


_ESTIMATED = 50
"""Rows that are made to estimate what all of them take."""
_CHARACTERS_A_TOKEN = 4


class PlayedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One episode that a model has played."""

    index: int
    attempt: int
    """Number of the try at the row, from 0."""
    scenario: str
    score: Score
    ended: str
    spent: Account
    transcript: dict[str, Any]


class PlayedRows(msgspec.Struct, kw_only=True):
    """What came of playing rows."""

    wanted: int
    """Episodes that were to be played."""
    done: list[PlayedRow]
    """Those that were played to their end, by row and try."""
    stopped: str = ""
    """Why no more was asked; empty when all were played."""

    def table(self) -> Table:
        """Return the scores by scenario."""
        table = Table()
        for result in self.done:
            table.add(result.index, result.scenario, result.score, spent=result.spent, ended=result.ended)
        return table


def playable(tasks: RecipeTasks, rows: int) -> Iterator[int]:
    """Yield the rows that can be played: not documents, nor rows that cannot be made."""
    for index in range(rows):
        try:
            tasks.task(index)
        except PlanError:
            continue
        yield index


def estimate_play(tasks: RecipeTasks, rows: int, tries: int) -> Estimated:
    """Estimate what playing rows takes, from the first ones, for a model that does what they do."""
    episode = tasks.episode()
    requests = sent = received = 0
    looked_at = min(rows, _ESTIMATED)
    for index in playable(tasks, looked_at):
        episode.reset(index)
        requests_of_row = reference_requests(episode)
        requests += len(requests_of_row)
        sent += sum(map(tokens_in, requests_of_row))
        answers = [entry_of(message) for message in episode.messages if isinstance(message, AssistantMessage)]
        received += sum(len(str(entry)) for entry in answers) // _CHARACTERS_A_TOKEN
    episode.close()
    share = tries * rows / looked_at
    return Estimated(requests=round(requests * share), sent=round(sent * share), received=round(received * share))


def _played_row(episode: Episode, attempt: int, spent: Account) -> PlayedRow:
    """Return what came of an episode that is over."""
    assert episode.task is not None
    row, took = episode.task.row, {"requests": spent.answers, "tokens": [spent.prompt_tokens, spent.completion_tokens]}
    return PlayedRow(
        index=row.index,
        attempt=attempt,
        scenario=row.scenario,
        score=episode.score(),
        ended=episode.ended,
        spent=spent,
        transcript=transcript_of(episode, attempt=attempt, spent=took),
    )


async def play_rows(
    tasks: RecipeTasks,
    session: Session,
    rows: int,
    tries: int = 1,
    tell: Callable[[int, int, Account], None] | None = None,
) -> PlayedRows:
    """Have a model play the first rows of a recipe, each as often as `tries` says.

    When asking stops, the episodes that were played to their end are returned; the answers of the others are in the cache, so
    that playing again goes on from there. `tell` is told after each how many of how many are played, and what has been spent.

    Raises:
        LlmError: when the model cannot be asked at all.
    """
    jobs = [(index, attempt) for index in playable(tasks, rows) for attempt in range(tries)]
    played, left = PlayedRows(wanted=len(jobs), done=[]), iter(jobs)

    async def play_next_rows() -> None:
        """Play rows, one after the other, until none is left."""
        episode = tasks.episode()
        try:
            for index, attempt in left:
                if played.stopped:
                    return
                episode.reset(index)
                spent = await play(episode, session.answer, attempt)
                played.done.append(_played_row(episode, attempt, spent))
                if tell is not None:
                    tell(len(played.done), len(jobs), session.account)
        except StoppedError as fault:
            played.stopped = played.stopped or str(fault)
        finally:
            episode.close()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(session.settings.concurrency, len(jobs))):
                group.create_task(play_next_rows())
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None
    played.done.sort(key=lambda one: (one.index, one.attempt))
    return played
