"""Scripts for the tools of a world: asked for a few at a time, tried, mended, read by a judge; what does not hold is dropped singly."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec
import yaml

from generator.core.conversation import Conversation
from generator.core.documents import Document
from generator.core.files import read_regular, shipped
from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.report.files.show import lines_of
from generator.run.authoring.asking import Answering, Asked, prompt, text_of, words, yaml_of
from generator.run.authoring.world import World, functions_text
from generator.run.usable import trial_of
from generator.scenarios.scripts import scripts_in
from generator.scenarios.scripts.trial import Fault, Trial
from generator.tools.specs.write import Dumper

AT_ONCE = 8
"""Scripts a request."""
MENDS = 2
"""How often the faults of scripts go back at most."""
_BEGIN = re.compile(r"^(?=[ ]*-[ ]+script:)", re.MULTILINE)
_LONGEST_RESULT = 400
_LONGEST_ROW = 12
"""Lines of a row at fault that are shown: the last ones."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A script as far as it holds."""

    raw: dict[str, Any]
    """As a file has it, without the wordings that do not hold."""
    trial: Trial

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.raw["script"])

    def beside(self, others: Collection[str]) -> "Kept":
        """Return the same under a name that no other has."""
        names = (self.name, *[f"{self.name}_{number}" for number in range(2, len(others) + 3)])
        return msgspec.structs.replace(
            self, raw={**self.raw, "script": next(name for name in names if name not in others)}
        )


class Batch(msgspec.Struct, kw_only=True):
    """The scripts of one request."""

    asked: Asked
    kept: dict[str, Kept] = {}
    faults: dict[str, str] = {}
    """What is still wrong with scripts, by name, or with the whole answer, under no name."""
    said: dict[str, str] = {}
    """Scripts as they were written last, by name."""
    is_written: bool = False
    """Whether nothing more is asked about them."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """One script that is wanted."""

    shape: str
    tool: str
    person: str
    topic: str

    def __str__(self) -> str:
        """Return the line that asks for it."""
        about = f" With {self.tool}." if self.tool else ""
        return f"{self.shape}.{about} The person: {self.person}. The occasion: {self.topic}."


def scripts_wanted(
    tools: Sequence[ToolSpec], first: int = 0, people: Sequence[str] = (), topics: Sequence[str] = ()
) -> Iterator[Wanted]:
    """Yield scripts over all shapes without end, in which each tool has its turn before one comes again.

    People and topics (those of prompts.yaml unless given) have had `first` turns before.
    """
    data = words()
    used = {spec.name: 0 for spec in tools}
    shapes = [
        shape_entry
        for shape_entry in data["shapes"]
        if shape_entry["for"] in ("any", "none") or any(_suits(spec, shape_entry) for spec in tools)
    ]
    people, topics = people or data["people"], topics or data["topics"]
    for step, shape in enumerate(cycle(shapes), first):
        suitable_tools = [spec.name for spec in tools if _suits(spec, shape)]
        tool = min(suitable_tools, key=used.__getitem__, default="")
        used |= {tool: used[tool] + 1} if tool else {}
        person, topic = people[step % len(people)], topics[(step + step // len(people)) % len(topics)]
        yield Wanted(shape=shape["about"], tool=tool, person=person, topic=topic)


def _suits(spec: ToolSpec, shape: Mapping[str, str]) -> bool:
    """Whether a shape is for a tool: one that looks up, or one that changes something."""
    return shape["for"] in ("any", "reads" if spec.looks_up else "changes")


def scripts_request(world: World, wanted: Sequence[Wanted], name: str) -> Asked:
    """Return the request for some scripts."""
    data = words()
    examples = [_example(entry["file"], entry["script"]) for entry in data["examples"]]
    messages = prompt(
        "scripts",
        format=data["format"],
        examples="\n".join(examples),
        tools=functions_text(world.tools),
        world=world.told(),
        results="\n".join(world.results),
        count=str(len(wanted)),
        wanted="\n".join([f"{at}. {entry}" for at, entry in enumerate(wanted, 1)]),
    )
    return Asked(name=name, messages=messages)


def _example(file: str, name: str) -> str:
    """Return a script that comes with the program, as its file has it, without the comments between scripts."""
    text = read_regular(shipped("tool_specs") / "scripts" / file).decode()
    (script,) = [section for section in _BEGIN.split(text) if re.match(rf"- script: {name}\n", section)]
    return re.sub(r"^#.*\n?", "", script, flags=re.MULTILINE)


class Writing:
    """Scripts for the tools of one world, written by somebody, and read by a judge where there is one."""

    def __init__(self, world: World, writer: Answering, judge: Answering | None) -> None:
        self.world, self.writer, self.judge = world, writer, judge
        self.tried = trial_of(world.tools)
        self.told: list[str] = []
        """What the judge says beside words: of the world, or nothing of use."""
        self.of_world: list[str] = []

    async def write(self, batch: Batch) -> None:
        """Have the scripts of a batch written, and mended as long as something is wrong with them, `MENDS` times at most; then judged."""
        asked = batch.asked
        answer = await self._written(batch, asked)
        for number in range(1, MENDS + 1):
            faults = "\n\n".join([why for name, why in batch.faults.items() if not _holds(batch.kept.get(name))])
            if not faults:
                break
            asked = asked.then(f"{batch.asked.name}-mended-{number}", answer, "mend", faults=faults)
            answer = await self._written(batch, asked)
        if self.judge is not None and batch.kept:
            await self._judged(batch, asked, answer)

    async def again(self, batch: Batch) -> None:
        """Try the scripts of a batch anew, because the world has changed; what no longer holds is mended once or dropped."""
        kept, batch.kept = batch.kept, {}
        for name, script in kept.items():
            self._try(batch, name, script.raw)
        lost = [name for name in kept if name in batch.faults and not _holds(batch.kept.get(name))]
        faults = "\n\n".join([batch.faults[name] for name in lost])
        if faults:
            texts_lost = "\n".join([batch.said[name] for name in lost])
            await self._written(batch, batch.asked.then(f"{batch.asked.name}-world", texts_lost, "mend", faults=faults))

    async def _written(self, batch: Batch, asked: Asked) -> str:
        """Ask, try each script of the answer, and return its text."""
        answer = await self.writer.answer(asked)
        text = text_of(answer)
        batch.faults.pop("", None)
        chunks = [chunk_text for chunk_text in _BEGIN.split(text) if _BEGIN.match(chunk_text)]
        if not chunks:
            batch.faults[""] = answer.fault or "a list of scripts is expected, each beginning with `- script: NAME`"
        for chunk in chunks:
            value, fault = yaml_of(dedent(chunk), answer.fault)
            raw = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}
            name = str(raw.get("script") or chunk.partition("script:")[2].split("\n", 1)[0].strip())
            batch.said[name] = chunk
            if fault or not raw:
                batch.faults[name] = f"{name}: {fault or 'a mapping is expected'}"
            else:
                self._try(batch, name, raw)
        return text

    def _try(self, batch: Batch, name: str, raw: dict[str, Any]) -> None:
        """Try a script, and keep it as far as it holds; one of this name that was kept before gives way to it."""
        document = Document("answer", "", {"tools": ["answer.yaml"], "scripts": [raw]})
        read = scripts_in(document)
        trial = self.tried(read.scripts[0]) if read.scripts else Trial(name, None, tuple(map(Fault, read.faults)))
        batch.faults.pop(name, None)
        if trial.faults:
            batch.faults[name] = _faults_text(name, trial.faults)
        if trial.script is not None and set(trial.script.tools) <= {*self.world.callable}:
            batch.kept[name] = Kept(raw=_without_lost_wordings(raw, trial), trial=trial)
        elif trial.script is not None:
            unknown = sorted({*trial.script.tools} - {*self.world.callable})
            batch.faults[name] = f"{name}: it is not known what {', '.join(unknown)} returns"

    async def _judged(self, batch: Batch, asked: Asked, answer: str) -> None:
        """Have two rows of each script read; what is wrong with words goes back once, and what is still wrong then is dropped."""
        assert self.judge is not None
        faults = await self._verdict(batch.kept.values(), f"3-judge-{batch.asked.name.partition('-')[2]}")
        if not faults:
            return
        faults_in_words = "\n".join([f"{name}: {why}" for name, why in faults.items()])
        await self._written(batch, asked.then(f"{batch.asked.name}-judged", answer, "judged", faults=faults_in_words))
        again = [batch.kept[name] for name in faults]
        for name, why in (await self._verdict(again, f"4-judge-{batch.asked.name.partition('-')[2]}")).items():
            batch.faults[name] = f"{name}: the judge: {why}"
            del batch.kept[name]

    async def _verdict(self, scripts: Iterable[Kept], name: str) -> dict[str, str]:
        """Return what the judge finds wrong with the words of scripts, by their names."""
        assert self.judge is not None
        shown = {script.name: script for script in scripts}
        rows = [_rows_text(script) for script in shown.values()]
        answer = await self.judge.answer(
            Asked(name=name, messages=prompt("judge", rows="\n\n".join(rows)), is_later=True)
        )
        value, fault = yaml_of(text_of(answer), answer.fault)
        if not isinstance(value, list):
            self.told.append(f"{name}: the answer is of no use: {fault or 'a list is expected'}")
        entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
        of_world = [entry for entry in entries if entry.get("of") == "world"]
        faults_of_world = [f"{entry.get('script')}: {entry.get('fault')}" for entry in of_world]
        self.of_world += faults_of_world
        self.told += faults_of_world
        return {
            str(entry["script"]): str(entry.get("fault", ""))
            for entry in entries
            if entry.get("script") in shown and entry not in of_world
        }


def _holds(kept: Kept | None) -> bool:
    """Whether a script needs no mending: it is kept, and enough of its wordings."""
    turns = [] if kept is None or kept.trial.script is None else kept.trial.script.turns
    first = next((len(turn.user) for turn in turns if turn.user), 0)
    return first >= _FEW_FIRST and all(len(turn.texts) >= _FEW for turn in turns if turn.texts)


_FEW_FIRST, _FEW = 3, 1
"""Wordings of the first text, and of each other one, with which a script is not mended."""


def _faults_text(name: str, faults: Iterable[Fault]) -> str:
    """Return what is wrong with a script, each fault once, with the end of the first row that shows it."""
    lines, shown = {f"{name}:": None}, set[str]()
    for fault in faults:
        fault_at = re.sub(r"^answer:[0-9]+: (script '\w+': )?", "", fault.text)
        what = re.sub(r"^.*?, wording [0-9]+: ", "", fault_at)
        row = lines_of(Conversation(fault.row), _LONGEST_RESULT)[-_LONGEST_ROW:] if what not in shown else []
        lines["\n    ".join([f"- {fault_at}", *row])] = None
        shown.add(what)
    return "\n".join(lines)


def _rows_text(kept: Kept) -> str:
    rows = ["\n".join(lines_of(Conversation(row), _LONGEST_RESULT)) for row in kept.trial.shown]
    return "\n\n".join([f"# script {kept.name}", *rows])


def _without_lost_wordings(raw: dict[str, Any], trial: Trial) -> dict[str, Any]:
    """Return a script as a file has it without the wordings that its trial took away."""
    assert trial.script is not None
    turns = []
    for turn, read in zip(raw["turns"], trial.script.turns, strict=True):
        texts_left = {key: [text.source for text in read.texts] for key in ("user", "say") if key in turn}
        turns.append({**turn, **texts_left})
    system = {"system": [text.source for text in trial.script.system]} if "system" in raw else {}
    return {**raw, **system, "turns": turns}


def source_text(source: ToolFile, folder: Path) -> dict[str, Any]:
    """Return a source of tools as a file in a folder says it."""
    if source.file is None:
        origin: dict[str, Any] = (
            {"functions": source.module} if source.module else {"mcp": {"command": [*source.command]}}
        )
    else:
        origin = {"file": os.path.relpath(source.file, folder)} | ({"from": source.kind} if source.kind else {})
    overlays = [os.path.relpath(overlay, folder) for overlay in source.overlays]
    choices = {"only": [*source.only], "without": [*source.without], "overlay": overlays}
    set_apart = {
        key: getattr(source, key)
        for key in ("on_illegal", "describe")
        if getattr(source, key) != getattr(ToolFile(), key)
    }
    return origin | set_apart | {key: part for key, part in choices.items() if part}


def scripts_text(scripts: Iterable[Kept], sources: Iterable[Mapping[str, Any]], title: str) -> str:
    """Return a file of scripts; `sources` is where their tools are from, as a recipe says it, `title` a comment."""
    short = [
        {key: _on_one_line(part) if key == "let" else part for key, part in script.raw.items()} for script in scripts
    ]
    value = {"tools": [*map(_Line, sources)], "scripts": short}
    return f"# {title}\n" + yaml.dump(value, Dumper=_ScriptDumper, sort_keys=False, allow_unicode=True, width=150)


class _Line(dict[str, Any]):
    """A mapping that stands on one line of a file."""


class _ScriptDumper(Dumper):
    """Writes some mappings on one line."""


_ScriptDumper.add_representer(
    _Line, lambda dumper, value: dumper.represent_mapping("tag:yaml.org,2002:map", value, flow_style=True)
)


def _on_one_line(let: Any) -> Any:
    """Return what names stand for, each on a line of its own."""
    return {name: _Line(how) if isinstance(how, dict) else how for name, how in let.items()}
