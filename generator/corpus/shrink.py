"""Make a failing case small: fewer calls, fewer arguments, simpler values, fewer cuts, with the same failure.

A valid case stays valid: each candidate is written anew from its calls, and must have one meaning. The bytes of any
other case are cut (delta debugging), judged by the invariants alone.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from generator.corpus import layout
from generator.corpus.case import Case, ChunkPlan, Mutation, Oracle
from generator.corpus.check.judge import ParserFailure
from generator.corpus.check.run import CheckOptions, check_case, open_runner
from generator.corpus.check.runner import Runner
from generator.corpus.chunks import tokenizer_plan
from generator.corpus.clients.formats import CLIENT_FORMATS
from generator.corpus.emissions import emissions_of
from generator.corpus.meaning import has_one_meaning
from generator.errors import FormatError
from generator.sinks.disk import write_whole
from generator.wire.calls import ExpectedCall
from generator.wire.format import WireFormat, wire_format
from generator.wire.style import Style
from generator.wire.writing import write_completion

_MOST_RUNS = 400


def shrink_case(
    folder: Path, name: str, case_id: str, how: CheckOptions, tell: Callable[[str], None] = lambda said: None
) -> tuple[Case, ParserFailure]:
    """Return the smallest case with the same failure; it is stored in the corpus with its parent's id.

    `tell` is given the end of what the parser printed to stderr, if anything.

    Raises:
        FormatError: the case is not in the corpus, or the parser does not fail on it.
    """
    case = next((case for case in layout.read_cases(folder, name) if case.id == case_id), None)
    if case is None:
        raise FormatError(f"--case {case_id}: there is no such case in {folder / name}")
    if name in CLIENT_FORMATS:
        raise FormatError(f"{name}: cases for clients are not made smaller; those of the grid (grid-…) are small")
    runner = open_runner(folder, how)
    try:
        small, finding = Shrinker(case, _schemas(folder), runner, how).smallest()
    finally:
        if said := runner.close():
            tell(said)
    stored = msgspec.structs.replace(small, id=_name(folder, name, case), parent=case.id)
    _store(folder, name, stored)
    return stored, finding


def _schemas(folder: Path) -> dict[str, Any]:
    return {name: tool["function"].get("parameters") or {} for name, tool in layout.tools_of_corpus(folder).items()}


class Shrinker:
    """One case and the failure to keep: its label, and whether it occurs with streaming only."""

    def __init__(self, case: Case, schemas: dict[str, Any], runner: Runner, how: CheckOptions) -> None:
        self._case = case
        self._schemas = schemas
        self._runner = runner
        self._how = how
        self._runs = 0
        findings = self._findings(case)
        if not findings:
            raise FormatError(f"{case.id}: this parser does not fail on it")
        self._label = findings[0].label
        self._latest = case, findings[0]
        self._needs_pieces = bool(findings[0].plans)
        kinds = {plan.kind: plan for plan in case.plans}
        self._torn = all(kinds[kind].splits_special_token for kind in findings[0].plans if kind in kinds)
        self._how = msgspec.structs.replace(how, torn_tokens=self._torn)
        self._style = _style_of(case)

    def _findings(self, case: Case) -> list[ParserFailure]:
        self._runs += 1
        return check_case(msgspec.structs.replace(case, stretch=None), self._runner, self._how)[1]

    def _fails(self, case: Case) -> ParserFailure | None:
        """Return the same failure, if the case has it."""
        if self._runs > _MOST_RUNS:
            return None
        found = self._findings(case)
        same = next((f for f in found if f.label == self._label and bool(f.plans) == self._needs_pieces), None)
        if same is not None:
            self._latest = case, same
        return same

    def smallest(self) -> tuple[Case, ParserFailure]:
        """Return the smallest case that was found, and its failure."""
        small = self._first_plan(self._case)
        fmt = wire_format(small.format)
        small = self._fewer_calls(fmt, small) if small.verdict == "y" else self._fewer_letters(small)
        small = self._fewer_cuts(small) if self._needs_pieces else msgspec.structs.replace(small, plans=())
        finding = self._fails(small)
        return (small, finding) if finding is not None else self._latest  # time is up, or the failure comes and goes

    def _first_plan(self, case: Case) -> Case:
        """Return the case with one plan only, with which it fails."""
        for plan in case.plans if self._needs_pieces else ():
            alone = msgspec.structs.replace(case, plans=(plan,))
            if self._fails(alone):
                return alone
        return case

    def _fewer_calls(self, fmt: WireFormat, case: Case) -> Case:
        assert case.oracle is not None
        calls, content = case.oracle.tool_calls, case.oracle.content
        current = case
        plain = self._written(fmt, calls, content, case, Style(json=fmt.json))
        if plain is not None and self._fails(plain):
            current, self._style = plain, Style(json=fmt.json)
        progress = True
        while progress:
            progress = False
            for smaller, said in _smaller(calls, content):
                candidate = self._written(fmt, smaller, said, current, self._style)
                if candidate is not None and self._fails(candidate):
                    calls, content, current, progress = smaller, said, candidate, True
                    break
        return current

    def _written(
        self, fmt: WireFormat, calls: tuple[ExpectedCall, ...], content: str | None, like: Case, style: Style
    ) -> Case | None:
        """Return these calls as a valid case, cut as finely as the given one; None when the text has another meaning."""
        written = write_completion(fmt, calls, content, style)
        text = written.text
        if style.arguments_first or not has_one_meaning(fmt, text, calls, content, self._schemas):
            return None
        plans = self._plans(text, fmt.special) if self._needs_pieces else ()
        return msgspec.structs.replace(
            like,
            text=text.encode(),
            oracle=Oracle(calls, content),
            prefix=written.prefix,
            emissions=emissions_of(written),
            plans=plans,
            mutations=(Mutation("shrunk"),),
            stretch=None,
        )

    def _fewer_letters(self, case: Case) -> Case:
        """Shorten the text by delta debugging on its characters."""
        text = case.chars
        size = max(1, len(text) // 2)
        while size >= 1:
            at = 0
            while at < len(text):
                shorter = text[:at] + text[at + size :]
                candidate = self._cut_down(case, shorter)
                if shorter and self._fails(candidate):
                    text, case = shorter, candidate
                else:
                    at += size
            size //= 2
        return case

    def _cut_down(self, case: Case, text: str) -> Case:
        plans = self._plans(text, wire_format(case.format).special) if self._needs_pieces else ()
        return msgspec.structs.replace(
            case, text=text.encode(), plans=plans, mutations=(*case.mutations, Mutation("shrunk")), allowed=()
        )

    def _plans(self, text: str, special: tuple[str, ...]) -> tuple[ChunkPlan, ...]:
        """Return plans that send a text whole, by characters, and by pairs of them."""
        known = [] if self._torn else sorted(map(re.escape, special), key=len, reverse=True)
        pieces = re.findall("|".join([*known, "(?s:.)"]), text)
        return (
            tokenizer_plan("whole", text, [text.encode()], special),
            tokenizer_plan("characters", text, [piece.encode() for piece in pieces], special),
            tokenizer_plan(
                "pairs", text, ["".join(pieces[at : at + 2]).encode() for at in range(0, len(pieces), 2)], special
            ),
        )

    def _fewer_cuts(self, case: Case) -> Case:
        """Join neighbouring pieces while it still fails."""
        case = self._first_plan(case)
        at = 0
        while case.plans and at < len(case.plans[0].sizes) - 1:
            sizes = case.plans[0].sizes
            joined = (*sizes[:at], sizes[at] + sizes[at + 1], *sizes[at + 2 :])
            candidate = msgspec.structs.replace(case, plans=(_with_sizes(case, joined),))
            if self._fails(candidate):
                case = candidate
            else:
                at += 1
        return case


def _with_sizes(case: Case, sizes: tuple[int, ...]) -> ChunkPlan:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(case.text[at : at + size])
        at += size
    return tokenizer_plan("shrunk", case.chars, pieces, wire_format(case.format).special)


def _style_of(case: Case) -> Style:
    """Return how a case is written, from the mutations that are recorded."""
    style: dict[str, Any] = {mutation.op: mutation.arg for mutation in case.mutations}
    json_style = style.get("json_style") or wire_format(case.format).json
    return Style(json=json_style, arguments_first="arguments_first" in style)


def _smaller(
    calls: tuple[ExpectedCall, ...], content: str | None
) -> Iterator[tuple[tuple[ExpectedCall, ...], str | None]]:
    """Yield simpler candidates, the greatest reductions first."""
    if content:
        yield calls, None
    for size in (len(calls) // 2, 1):
        for at in range(0, len(calls), size) if size and len(calls) > 1 else ():
            yield (*calls[:at], *calls[at + size :]), content
    for index, call in enumerate(calls):
        for arguments in _simpler_object(call.arguments):
            yield (*calls[:index], ExpectedCall(call.name, arguments), *calls[index + 1 :]), content


def _simpler_object(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in value:
        yield {other: part for other, part in value.items() if other != key}
    for key, part in value.items():
        for simpler in _simpler(part):
            yield value | {key: simpler}


def _simpler(value: Any) -> Iterator[Any]:
    if isinstance(value, str) and value:
        half = len(value) // 2
        yield from (text for text in (value[:half], value[half:], value[1:], value[:-1]) if text != value)
        if value.lower() != "a" * len(value) and len(value) < 12:
            yield from (
                value[:at] + "a" + value[at + 1 :]
                for at in range(len(value))
                if value[at].isalnum() and value[at] != "a"
            )
    elif isinstance(value, list) and value:
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
        yield from ([*value[:at], part, *value[at + 1 :]] for at in range(len(value)) for part in _simpler(value[at]))
    elif isinstance(value, dict) and value:
        yield from _simpler_object(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, -1, 1):
        yield from (0, -1 if value < 0 else 1)


def _name(folder: Path, name: str, case: Case) -> str:
    taken = {other.id for other in layout.read_cases(folder, name)}
    stem = case.id if "-small" not in case.id else case.id.partition("-small")[0]
    return next(f"{stem}-small{number}" for number in range(1, 10**6) if f"{stem}-small{number}" not in taken)


def _store(folder: Path, name: str, case: Case) -> None:
    suffix = layout.read_index(folder).formats[name].suffix
    write_whole(folder / name / "cases" / f"{case.id}{suffix}", [case.text])
    manifest = folder / name / layout.MANIFEST
    lines = [*layout.manifest_lines(manifest), layout.manifest_line(case)]
    write_whole(manifest, sorted(lines, key=lambda line: msgspec.json.decode(line, type=_Id).id))


class _Id(msgspec.Struct):
    id: str
