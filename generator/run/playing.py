"""A model plays rows of a recipe, many at once."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage
from generator.core.errors import PlanError, StoppedError
from generator.episodes.episode import Episode
from generator.episodes.player import play, requests_of_own
from generator.episodes.replay import entry_of, transcript_of
from generator.episodes.scoring import Score
from generator.episodes.table import Table
from generator.llm.asking import Account, Estimated, tokens_in
from generator.llm.session import Session
from generator.run.episodes import RecipeTasks

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
        for one in self.done:
            table.add(one.index, one.scenario, one.score, spent=one.spent, ended=one.ended)
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
        asked = requests_of_own(episode)
        requests += len(asked)
        sent += sum(map(tokens_in, asked))
        said = [entry_of(message) for message in episode.messages if isinstance(message, AssistantMessage)]
        received += sum(len(str(entry)) for entry in said) // _CHARACTERS_A_TOKEN
    episode.close()
    share = tries * rows / looked_at
    return Estimated(requests=round(requests * share), sent=round(sent * share), received=round(received * share))


def _played(episode: Episode, attempt: int, spent: Account) -> PlayedRow:
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
    """Have a model play the first rows of a recipe.

    When asking stops, the episodes that were played to their end are returned; the answers of the others are in the cache, so
    that playing again goes on from there.

    Args:
        tasks: The rows.
        session: Asks the model.
        rows: How many rows.
        tries: How often each.
        tell: Told after every episode how many of how many are played, and what has been spent.

    Raises:
        LlmError: when the model cannot be asked at all.
    """
    jobs = [(index, attempt) for index in playable(tasks, rows) for attempt in range(tries)]
    played, left = PlayedRows(wanted=len(jobs), done=[]), iter(jobs)

    async def work() -> None:
        episode = tasks.episode()
        try:
            for index, attempt in left:
                if played.stopped:
                    return
                episode.reset(index)
                spent = await play(episode, session.answer, attempt)
                played.done.append(_played(episode, attempt, spent))
                if tell is not None:
                    tell(len(played.done), len(jobs), session.account)
        except StoppedError as fault:
            played.stopped = played.stopped or str(fault)
        finally:
            episode.close()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(session.settings.concurrency, len(jobs))):
                group.create_task(work())
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None
    played.done.sort(key=lambda one: (one.index, one.attempt))
    return played
