"""What is known of a server between the steps of authoring, and who is asked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from generator.core.overlays import Pieces
from generator.core.toolbox import ToolSpec
from generator.run.authoring.asking import Answering, WaitingError
from generator.run.authoring.bench import Bench
from generator.run.authoring.decisions import Decisions
from generator.run.authoring.elements import Element, Identity
from generator.run.authoring.judge.judging import Verdict
from generator.run.authoring.result import AuthoredTool, Authoring, Unusable
from generator.run.authoring.writer.writing import Prompts


class People(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked."""

    writer: Answering
    readers: tuple[Answering, Answering]
    judge: Answering | None
    """None: trial rows are not judged."""
    mends: bool = True
    """Whether the writer is asked a second time about what cannot be used."""


Tell = Callable[[str, int, int], None]
"""Told of each step: its name, how many of its requests are answered, and how many there are."""


class WaitsError(Exception):
    """Some answers of a step are not there yet."""

    def __init__(self, step: str, files: tuple[str, ...]) -> None:
        super().__init__(step)
        self.step, self.files = step, files


class Work:
    """The state of one authoring between its steps."""

    def __init__(
        self, bench: Bench, people: People, prompts: Prompts, decisions: Decisions, only: Sequence[str], tell: Tell
    ) -> None:
        self.bench, self.people, self.prompts, self.decisions, self.tell = bench, people, prompts, decisions, tell
        self.names = [name for name in bench.bare if not only or name in only]
        self.entities: dict[str, Any] = {}
        self.entities_dropped: dict[str, str] = {}
        self.declared = bench.declaring({})
        self.said: dict[str, list[Element]] = {name: [] for name in self.names}
        """What is usable of each tool, so far as it is known."""
        self.world: dict[str, list[Element]] = {name: [] for name in self.names}
        """What is usable of what was said of it together with the server."""
        self.world_dropped: dict[str, list[Unusable]] = {name: [] for name in self.names}
        self.accepted: dict[str, set[Identity]] = {name: set() for name in self.names}
        self.dropped: dict[str, list[Unusable]] = {name: [] for name in self.names}
        self.gaps: dict[str, tuple[str, ...]] = {}
        self.specs: dict[str, ToolSpec] = {name: self.read(name, {}) for name in bench.bare}
        self.verdicts: dict[str, list[Verdict]] = {}
        self.refused: dict[str, str] = {}
        self.conversations: list[Verdict] = []
        """The judge's, of whole conversations."""
        self.disliked: list[str] = []
        """The tools that the judge has refused."""
        self.well_read: dict[str, set[Identity]] = {name: set() for name in self.names}
        """What need not be read again."""
        self.described: set[str] = set()

    def read(self, name: str, pieces: Pieces) -> ToolSpec:
        """Return a tool under some pieces."""
        return self.bench.read(self.declared[name], pieces)[0]

    async def answers(self, step: str, jobs: Sequence[Callable[[], Awaitable[Any]]]) -> list[Any]:
        """Return what all jobs of a step give; raises when one waits for a file, after all others were asked."""
        done = 0
        self.tell(step, 0, len(jobs))

        async def counted(job: Callable[[], Awaitable[Any]]) -> Any:
            nonlocal done
            found = await job()
            done += 1
            self.tell(step, done, len(jobs))
            return found

        found = await asyncio.gather(*[counted(job) for job in jobs], return_exceptions=True)
        waiting = tuple(str(one) for one in found if isinstance(one, WaitingError))
        if waiting:
            raise WaitsError(step, waiting)
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return list(found)

    def refuse(self, name: str, why: str) -> None:
        """Leave a tool as it was."""
        self.refused[name] = why
        self.specs[name] = self.read(name, {})

    def result(self, waiting: tuple[str, ...] = (), waits_for: str = "", stopped: str = "") -> Authoring:
        """Return what came of it so far: whole only when every step is done."""
        is_done = not waiting and not stopped
        return Authoring(
            tools=tuple(
                AuthoredTool(
                    spec=self.specs[name],
                    kept=tuple(self.said[name]) if is_done else (),
                    dropped=tuple(self.dropped[name]),
                    gaps=self.gaps.get(name, ()),
                    verdicts=tuple(self.verdicts.get(name, ())),
                    refused=self.refused.get(name, ""),
                )
                for name in self.names
                if name in self.described
            ),
            entities=self.entities,
            entities_dropped=self.entities_dropped,
            conversations=tuple(self.conversations),
            waiting=waiting,
            waits_for=waits_for,
            stopped=stopped,
        )
