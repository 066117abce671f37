"""The steps of authoring, and what is known between them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from generator.conversation import Row
from generator.overlays import Pieces, split_pieces
from generator.run.authoring.asking import Answering, Asked, WaitingError, part_of
from generator.run.authoring.bench import Bench, Judged, broken_links, entities_that_fit, judge
from generator.run.authoring.blame import blamed_elements
from generator.run.authoring.chains import (
    kept_along_chains,
    no_ellipsis,
    not_as_a_list,
    unfollowed,
    without_derived_ways,
    without_links,
)
from generator.run.authoring.decisions import Decisions, decided
from generator.run.authoring.elements import Element, Identity, all_elements, pieces_of
from generator.run.authoring.field_names import words_for_fields
from generator.run.authoring.ids import without_nouns
from generator.run.authoring.items import Item, items_of
from generator.run.authoring.judging import ENOUGH, ROWS, Verdict, judge_rows, judging_request
from generator.run.authoring.mending import MENDS, Asking
from generator.run.authoring.reading import ITEMS, Reading, read_by, reading_request
from generator.run.authoring.result import AuthoredTool, Authoring, Unusable, told_once
from generator.run.authoring.sayable import said_as_json, to_leave_out, told_as_json, unsaid_by_all
from generator.run.authoring.server import all_shown, pieces_of_tool, unknown_keys
from generator.run.authoring.spoken import without_what_people_do_not_say
from generator.run.authoring.unused import IGNORED, ignored_arguments, told_without_values
from generator.run.authoring.values import (
    VALUES,
    as_lists,
    one_by_one,
    values_of_fields,
    with_commas,
    without_commas,
    worked_as_calls,
)
from generator.run.authoring.writing import Prompts, batches, server_request, tools_request
from generator.run.described import worked_faults
from generator.run.trials import ENOUGH as ENOUGH_ROWS
from generator.run.trials import fault_of_trial, try_tool
from generator.toolbox import ToolSpec

_TRIALS = 12


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

    async def answers(
        self, step: str, jobs: Sequence[Callable[[], Awaitable[Any]]], *, is_whole: bool = True
    ) -> list[Any]:
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

    # the server

    async def describe_server(self) -> None:
        """Ask what the tools act on."""
        if self.bench.adds:
            return
        await self._asked("server", [server_request(self.bench, self.prompts)], [self._take_server])

    async def _asked(
        self, step: str, requests: Sequence[Asked], takers: Sequence[Callable[[Mapping[str, Any]], list[str]]]
    ) -> None:
        """Ask the writer, and once or twice more about what cannot be used: the second time only of what was not told before."""
        open_ = [Asking(asked=asked, take=take) for asked, take in zip(requests, takers, strict=True)]
        for round_ in range(1 + (MENDS if self.people.mends else 0)):
            if not open_:
                break
            what = step if not round_ else f"{step}, mended" if round_ == 1 else f"{step}, mended again"
            answers = await self.answers(what, [partial(self.people.writer.answer, one.asked) for one in open_])
            taken = [one.answered(answer) for one, answer in zip(open_, answers, strict=True)]
            open_ = [one.once_more(self.prompts) for one in taken if one.has_news]

    def _take_server(self, value: Mapping[str, Any]) -> list[str]:
        """Take what an answer says of the server; return what cannot be used of it."""
        given = part_of(value, "entities")
        self.entities, self.entities_dropped = entities_that_fit(self.bench, given)
        given = self.entities
        self.declared = self.bench.declaring(self.entities)
        faults = [f"entities.{name}: {why}" for name, why in self.entities_dropped.items()]
        faults += told_without_values(given)
        tools = part_of(value, "tools")
        for name in [name for name in self.names if self.world[name] and name not in tools]:  # it was taken back
            self.world[name], self.said[name], self.dropped[name], self.world_dropped[name] = [], [], [], []
            self.specs[name] = self.read(name, {})
        for name, said in tools.items():
            if name not in self.bench.bare:
                faults.append(f"there is no tool {name!r}")
            elif name in self.said and isinstance(said, dict):
                faults += [f"{name}: there is no key {key!r} here" for key in unknown_keys(said)]
                faults += self._take_world(name, pieces_of_tool(said, given))
        return faults

    def _take_world(self, name: str, pieces: Pieces) -> list[str]:
        """Take effect, result, links and groups of one tool; return what cannot be used."""
        elements, accepted, rejected = decided(name, all_elements(pieces), self.decisions)
        self.accepted[name] = accepted
        found = judge(self.bench, self.declared[name], pieces_of(elements), self.specs)
        wrong = [*found.dropped]
        usual = pieces_of_tool({"effect": pieces.get(("effect",))}, self.entities)
        if ("returns",) in usual and {("returns",), ("effect",)} & {one.piece for one, _ in wrong}:
            other = judge(self.bench, self.declared[name], pieces_of(elements) | usual, self.specs)
            if not {("returns",), ("effect",)} & {one.piece for one, _ in other.dropped}:
                found, wrong = other, [*other.dropped, *((one, why) for one, why in wrong if one.piece in usual)]
        effect = next((one for one, _ in wrong if one.piece == ("effect",) and isinstance(one.value, dict)), None)
        if effect is not None and found.spec.origins.get("effect") != "model":
            smaller = self._smaller_effect(name, effect, list(found.kept))
            if smaller is not None:
                found = judge(self.bench, self.declared[name], pieces_of(smaller), self.specs)
        self.world[name], self.said[name] = list(found.kept), list(found.kept)
        self.specs[name] = found.spec
        self.world_dropped[name] = [Unusable(element=one, why=why) for one, why in (*wrong, *rejected)]
        self.dropped[name] = list(self.world_dropped[name])
        ignored = [f"{name}: {IGNORED.format(name=slot)}" for slot in ignored_arguments(found.spec)]
        return [*told_once(name, wrong), *(ignored if ("effect",) in pieces else ())]

    def _smaller_effect(self, name: str, effect: Element, kept: list[Element]) -> list[Element] | None:
        """Return the elements with so much of an effect as fits, where one of its keys does not."""
        for key in _EFFECT_KEYS:
            if key not in effect.value:
                continue
            value = {one: part for one, part in effect.value.items() if one != key}
            smaller = [*kept, Element(effect.piece, effect.at, value)]
            _, faulty = self.bench.read(self.declared[name], pieces_of(smaller))
            if effect.piece not in faulty:
                return smaller
        return None

    # the tools

    async def describe_tools(self) -> None:
        """Ask how people talk about each tool."""
        cut = batches([self.specs[name] for name in self.names])
        said = {name: pieces_of(elements) for name, elements in self.said.items()}
        requests = [
            tools_request(self.bench, batch, said, self.prompts, number) for number, batch in enumerate(cut, start=1)
        ]
        await self._asked("tools", requests, [partial(self.take_tools, batch=batch) for batch in cut])

    def take_tools(self, value: Mapping[str, Any], batch: Sequence[ToolSpec]) -> list[str]:
        """Take what an answer says of some tools, beside what is known of the server; return what cannot be used."""
        faults = []
        given = part_of(value, "tools")
        names = [spec.name for spec in batch]
        faults += [f"there is no tool {name!r} here" for name in given if name not in names]
        for name in names:
            said = given.get(name)
            if not isinstance(said, dict):
                faults.append(f"{name}: nothing is said of it")
                continue
            pieces = split_pieces({**said, "returns": all_shown(said["returns"])} if "returns" in said else said)
            pieces = without_commas(with_commas(as_lists(self.bench.bare[name], pieces)))
            pieces = one_by_one(self.specs[name].returns, pieces)
            pieces = worked_as_calls(self.specs[name], pieces)
            world = [one for one in self.world[name] if one.piece not in pieces]
            elements, accepted, rejected = decided(name, all_elements(pieces), self.decisions)
            self.accepted[name] |= accepted
            found = judge(
                self.bench,
                self.declared[name],
                pieces_of([*world, *elements]),
                self.specs,
                self.accepted[name],
            )
            found = without_what_people_do_not_say(self.bench, self.declared[name], found, self.accepted[name])
            faults += told_once(name, found.dropped)
            faults += [f"{name}: {gap}" for gap in found.gaps]
            faults += [f"{name}: {slot}: {how}" for slot, how in (*said_as_json(found.spec), *told_as_json(found.spec))]
            own = [piece[1] for piece in pieces_of(world) if piece[0] == "links" and piece[1] in found.spec.required]
            faults += [f"{name}: links.{slot}: {_UNFOLLOWED}" for slot in unfollowed(found.spec) if slot in own]
            if not fault_of_trial(found.spec):
                faults += [f"{name}: {one.piece}: {one.message}" for one in worked_faults(found.spec)]
            self._settle(name, found, rejected)
        return faults

    def _settle(self, name: str, found: Judged, rejected: Sequence[tuple[Element, str]]) -> None:
        self.said[name], self.specs[name], self.gaps[name] = list(found.kept), found.spec, found.gaps
        more = [Unusable(element=one, why=why) for one, why in (*found.dropped, *rejected)]
        self.dropped[name] = [*self.world_dropped[name], *more]
        self.described.add(name)

    # the readers

    async def read_back(self, names: Sequence[str]) -> None:
        """Have two readers read every phrase of some tools, and drop what they do not read as it was written."""
        cut = self._items(names)
        prompts = (self.prompts.read, self.prompts.read_second)
        tools = list(self.specs.values())
        jobs: list[Callable[[], Awaitable[Any]]] = []
        for number, items in enumerate(cut, start=1):
            for at, (reader, prompt) in enumerate(zip(self.people.readers, prompts, strict=True), start=1):
                asked = reading_request(f"3-read-{number:02d}-reader-{at}", tools, items, prompt)
                jobs.append(partial(read_by, reader, asked, items))
        found = await self.answers("readers", jobs)
        readings = [
            Reading(item=item, faults=tuple(faults))
            for number, items in enumerate(cut)
            for (_, item), *faults in zip(items, found[2 * number], found[2 * number + 1], strict=True)
        ]
        readings = await self._read_a_third_time(cut, readings)
        for (spec, _), reading in zip((one for items in cut for one in items), readings, strict=True):
            self._read_as(spec.name, reading)
        for name in names:
            if not self.bench.adds and self.said[name]:
                known = pieces_of(self.said[name])
                self.said[name] += all_elements(values_of_fields(self.read(name, known), known))
            self.specs[name] = self.read(name, pieces_of(self.said[name]))

    def _items(self, names: Sequence[str]) -> list[list[tuple[ToolSpec, Item]]]:
        """Return what is to be read in batches, the texts of a tool together."""
        cut: list[list[tuple[ToolSpec, Item]]] = []
        for name in names:
            known = self.accepted[name] | self.well_read[name]
            elements = [one for one in self.said[name] if one.identity not in known]
            items = [(self.specs[name], item) for item in items_of(self.specs[name], elements)]
            if items and (not cut or len(cut[-1]) + len(items) > ITEMS):
                cut.append([])
            if items:
                cut[-1] += items
        return cut

    async def _read_a_third_time(
        self, cut: Sequence[Sequence[tuple[ToolSpec, Item]]], readings: list[Reading]
    ) -> list[Reading]:
        """Have what only one of two readers reads as it was written read once more: two of three decide."""
        open_ = [(spec, item, at) for at, (spec, item) in enumerate(one for items in cut for one in items)]
        open_ = [one for one in open_ if readings[one[2]].is_disputed]
        third, tools = self.people.judge or self.people.readers[0], list(self.specs.values())
        batches_ = [open_[at : at + ITEMS] for at in range(0, len(open_), ITEMS)]
        jobs: list[Callable[[], Awaitable[Any]]] = []
        for number, batch in enumerate(batches_, start=1):
            items = [(spec, item) for spec, item, _ in batch]
            asked = reading_request(f"3-third-{number:02d}", tools, items, self.prompts.read)
            jobs.append(partial(read_by, third, asked, items))
        found = list(readings)
        for batch, faults in zip(batches_, await self.answers("third reading", jobs) if jobs else [], strict=True):
            for (_, _, at), own in zip(batch, faults, strict=True):
                found[at] = msgspec.structs.replace(found[at], faults=(*found[at].faults, own))
        return found

    def _read_as(self, name: str, reading: Reading) -> None:
        if reading.is_kept:
            return
        element = reading.item.element
        why = "; ".join(dict.fromkeys(fault for faults in reading.counted for fault in faults))
        if reading.item.kind == "values":  # what gives the values of that argument goes as a whole
            gone = [one for one in self.said[name] if one.piece[1:] == element.piece[1:] and one.piece[0] in VALUES]
        else:
            gone = [element]
        self.said[name] = [one for one in self.said[name] if not any(one is other for other in gone)]
        self.dropped[name] += [Unusable(element=one, why=why, is_disputed=reading.is_disputed) for one in gone]

    # trial rows

    async def judge_rows(self, names: Sequence[str]) -> None:
        """Make trial rows of some tools, drop what no row can be made with, and have the rest judged."""
        self.drop_broken_links()
        for name in names:
            self._leave_out_unsayable(name)
            self._tidy_chains(name)
        if not self.bench.adds:
            self._keep_along_chains()
        rows = {name: self._tried(name) for name in names if self.said[name] and name not in self.refused}
        if self.people.judge is not None:
            await self._judge(self.people.judge, rows)

    def drop_broken_links(self) -> None:
        """Drop links to what no result holds, now that all results are known."""
        for name in self.names:
            broken = broken_links(self.said[name], self.specs)
            if broken:
                self.said[name] = [one for one in self.said[name] if one not in broken]
                self.dropped[name] += [Unusable(element=one, why=why) for one, why in broken.items()]
                self.specs[name] = self.read(name, pieces_of(self.said[name]))

    def _leave_out_unsayable(self, name: str) -> None:
        """Leave out arguments that could only be said as JSON; a tool that needs one is not used."""
        if self.bench.adds:
            return
        spec = self.specs[name]
        ways = [
            spec.origins.get(f"phrases.{key}") for key in ("request", "question", "want") if getattr(spec.phrases, key)
        ]
        if name in self.described and {*ways} <= {"derived"}:
            self._refuse(name, "no way to ask for it was kept")
            return
        parts = {slot: to_leave_out(spec, slot) for slot, _ in said_as_json(spec)}
        unsaid = list(dict.fromkeys(filter(None, parts.values())))
        if needed := list(dict.fromkeys(slot.split("/")[0] for slot, part in parts.items() if not part)):
            self._refuse(name, f"{', '.join(needed)}: nobody has said how people put it into words")
        unsaid += [] if needed or name not in self.described else [*unsaid_by_all(spec), *without_nouns(spec)]
        if unsaid and not needed and name in self.described:
            gone = [one for one in self.said[name] if one.piece[1:2] and one.piece[-1] in unsaid]
            kept = [one for one in self.said[name] if one not in gone]
            self.said[name] = [*kept, *(Element(("say", slot), (), "never") for slot in unsaid)]
            self.dropped[name] += [Unusable(element=one, why="its argument can only be said as JSON") for one in gone]
            self.specs[name] = self.read(name, pieces_of(self.said[name]))

    def _tidy_chains(self, name: str) -> None:
        """Take away links that no phrase follows, and lists of what is said as one thing."""
        if self.bench.adds or name not in self.described or name in self.refused:
            return
        alone = unfollowed(self.specs[name])
        gone = dict(not_as_a_list(self.specs[name], self.said[name])) | dict(no_ellipsis(self.said[name]))
        gone |= {one: _UNFOLLOWED for one in self.said[name] if one.piece[0] == "links" and one.piece[-1] in alone}
        rest = [one for one in self.said[name] if one not in gone]
        more = [*without_links(alone), *without_derived_ways(self.specs[name], rest)]
        known = next((one.value for one in rest if one.piece == _FIELDS and isinstance(one.value, dict)), {})
        if words := {key: text for key, text in words_for_fields(self.specs[name]).items() if key not in known}:
            rest = [one for one in rest if one.piece != _FIELDS]
            more.append(Element(_FIELDS, (), {**words, **known}))
        if gone or more:
            self.said[name] = [*rest, *more]
            self.dropped[name] += [Unusable(element=one, why=why) for one, why in gone.items()]
            self.specs[name] = self.read(name, pieces_of(self.said[name]))

    def _keep_along_chains(self) -> None:
        """Say which IDs stay the same along chains of calls."""
        alive = {name: self.specs[name] for name in self.names if name in self.described and name not in self.refused}
        for name, arguments in kept_along_chains(alive).items():
            more = [Element(("context", one), (), "same") for one in arguments if one not in alive[name].context]
            more += without_links([link.argument for link in alive[name].links if link.argument in arguments])
            gone = [one for one in self.said[name] if one.piece[0] == "links" and one.piece[-1] in arguments]
            self.said[name] = [one for one in self.said[name] if one not in gone]
            self.dropped[name] += [Unusable(element=one, why=_KEPT) for one in gone]
            if more:
                self.said[name] += more
                self.specs[name] = self.read(name, pieces_of(self.said[name]))

    async def _judge(self, who: Answering, rows: Mapping[str, list[Row]]) -> None:
        """Have trial rows judged; a tool most of whose rows fail is not used."""
        cut = batches([self.specs[name] for name in rows]) if rows else []
        jobs: list[Callable[[], Awaitable[Any]]] = []
        shown = []
        for number, batch in enumerate(cut, start=1):
            told = [(spec.name, row) for spec in batch for row in rows[spec.name][:ROWS]]
            asked = judging_request(f"4-judge-{number:02d}", batch, told, self.prompts.judge)
            shown.append(told)
            jobs.append(partial(judge_rows, who, asked, told))
        for told, verdicts in zip(shown, await self.answers("judge", jobs), strict=True):
            for (name, _), verdict in zip(told, verdicts, strict=True):
                self.verdicts.setdefault(name, []).append(verdict)
        for name in rows:
            verdicts = self.verdicts.get(name, [])
            gone = self.without_blamed(verdicts)
            fit = sum(not one.faults or not gone.isdisjoint(one.blamed) for one in verdicts)
            if fit < min(ENOUGH, len(verdicts)):
                self._refuse(name, f"{fit} of {len(verdicts)} trial rows passed the judge")
                self.disliked.append(name)

    def without_blamed(self, verdicts: Sequence[Verdict]) -> set[tuple[str, str]]:
        """Drop the phrases that a judge blames for what is wrong with rows, as far as others are left; return what was dropped."""
        blamed = blamed_elements(verdicts, self.said, is_all_said=not self.bench.adds)
        gone = set[tuple[str, str]]()
        for tool, element, why in blamed:
            if element.identity not in self.accepted[tool]:
                self.said[tool] = [one for one in self.said[tool] if one is not element]
                self.dropped[tool].append(Unusable(element=element, why=why))
                gone.add((tool, element.text))
        for tool in {tool for tool, _ in gone}:
            self.specs[tool] = self.read(tool, pieces_of(self.said[tool]))
            self._tidy_chains(tool)
        return gone

    def _tried(self, name: str) -> list[Row]:
        """Return trial rows of a tool; pieces with which hardly any row can be made are dropped."""
        trial = try_tool(self.specs[name], _TRIALS)
        for group in _BLAMED:
            if trial.share >= ENOUGH_ROWS:
                break
            kept = [one for one in self.said[name] if one.piece[: len(group)] != group]
            if len(kept) == len(self.said[name]):
                continue
            spec = self.read(name, pieces_of(kept))
            again = try_tool(spec, _TRIALS)
            if again.share > trial.share:
                why = trial.refusals[0][0] if trial.refusals else "no row could be made"
                gone = [one for one in self.said[name] if one.piece[: len(group)] == group]
                self.dropped[name] += [
                    Unusable(element=one, why=f"rows with it are not accepted: {why}") for one in gone
                ]
                self.said[name], self.specs[name], trial = kept, spec, again
        if trial.share < ENOUGH_ROWS:
            why = trial.refusals[0][0] if trial.refusals else "no row could be made"
            self._refuse(name, f"{len(trial.rows)} of {trial.attempts} trial rows were accepted: {why}")
        return list(trial.rows)

    def _refuse(self, name: str, why: str) -> None:
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


_FIELDS = ("phrases", "fields")
_KEPT = "what goes on from here has the same one, so a request begins with it"
_UNFOLLOWED = "no follow_up says it"
_EFFECT_KEYS = ("sort", "needs", "limit", "where", "refers", "set", "by")
_BLAMED = (
    ("example_calls",),
    ("kinds",),
    ("patterns",),
    ("phrases", "each"),
    ("phrases", "answer"),
    ("phrases", "slots"),
    ("phrases", "synonyms"),
    ("phrases", "question"),
    ("phrases", "want"),
    ("phrases", "request"),
    ("returns",),
    ("effect",),
)
"""Pieces in the order in which they are taken away where rows fail."""
