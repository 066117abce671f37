"""The writer describes the server, then its tools: requests, answers taken piece by piece, and what is asked once more."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from generator.core.overlays import Pieces, split_pieces
from generator.core.toolbox import ToolSpec
from generator.run.authoring.asking import Asked, part_of
from generator.run.authoring.bench import Judged, entities_that_fit, judge
from generator.run.authoring.decisions import decided
from generator.run.authoring.elements import Element, all_elements, pieces_of
from generator.run.authoring.result import Unusable, told_once
from generator.run.authoring.tidying.chains import (
    UNFOLLOWED,
    unfollowed,
)
from generator.run.authoring.tidying.sayable import NEVER_ASKED, never_asked, said_as_json
from generator.run.authoring.tidying.spoken import without_what_people_do_not_say
from generator.run.authoring.work import Work
from generator.run.authoring.writer.mending import MENDS, Asking
from generator.run.authoring.writer.server import all_shown, pieces_of_tool, unknown_keys
from generator.run.authoring.writer.unused import IGNORED, ignored_arguments, told_without_values
from generator.run.authoring.writer.values import (
    as_lists,
    one_by_one,
    one_question_each,
    with_commas,
    without_commas,
    worked_as_calls,
)
from generator.run.authoring.writer.writing import batches, server_request, tools_request
from generator.run.described import worked_faults
from generator.run.trials import fault_of_trial


async def describe_server(work: Work) -> None:
    """Ask what the tools act on."""
    if work.bench.adds:
        return
    await _asked(work, "server", [server_request(work.bench, work.prompts)], [partial(_take_server, work)])


async def describe_tools(work: Work) -> None:
    """Ask how people talk about each tool."""
    cut = batches([work.specs[name] for name in work.names])
    said = {name: pieces_of(elements) for name, elements in work.said.items()}
    requests = [
        tools_request(work.bench, batch, said, work.prompts, number) for number, batch in enumerate(cut, start=1)
    ]
    await _asked(work, "tools", requests, [partial(take_tools, work, batch=batch) for batch in cut])


async def _asked(
    work: Work, step: str, requests: Sequence[Asked], takers: Sequence[Callable[[Mapping[str, Any]], list[str]]]
) -> None:
    """Ask the writer, and once or twice more about what cannot be used: the second time only of what was not told before."""
    open_ = [Asking(asked=asked, take=take) for asked, take in zip(requests, takers, strict=True)]
    for round_ in range(1 + (MENDS if work.people.mends else 0)):
        if not open_:
            break
        what = step if not round_ else f"{step}, mended" if round_ == 1 else f"{step}, mended again"
        answers = await work.answers(what, [partial(work.people.writer.answer, one.asked) for one in open_])
        taken = [one.answered(answer) for one, answer in zip(open_, answers, strict=True)]
        open_ = [one.once_more(work.prompts) for one in taken if one.has_news]


def _take_server(work: Work, value: Mapping[str, Any]) -> list[str]:
    """Take what an answer says of the server; return what cannot be used of it."""
    given = part_of(value, "entities")
    work.entities, work.entities_dropped = entities_that_fit(work.bench, given)
    given = work.entities
    work.declared = work.bench.declaring(work.entities)
    faults = [f"entities.{name}: {why}" for name, why in work.entities_dropped.items()]
    faults += told_without_values(given)
    tools = part_of(value, "tools")
    for name in [name for name in work.names if work.world[name] and name not in tools]:  # it was taken back
        work.world[name], work.said[name], work.dropped[name], work.world_dropped[name] = [], [], [], []
        work.specs[name] = work.read(name, {})
    for name, said in tools.items():
        if name not in work.bench.bare:
            faults.append(f"there is no tool {name!r}")
        elif name in work.said and isinstance(said, dict):
            faults += [f"{name}: there is no key {key!r} here" for key in unknown_keys(said)]
            faults += _take_world(work, name, pieces_of_tool(said, given))
    return faults


def _take_world(work: Work, name: str, pieces: Pieces) -> list[str]:
    """Take effect, result, links and groups of one tool; return what cannot be used."""
    elements, accepted, rejected = decided(name, all_elements(pieces), work.decisions)
    work.accepted[name] = accepted
    found = judge(work.bench, work.declared[name], pieces_of(elements), work.specs)
    wrong = [*found.dropped]
    usual = pieces_of_tool({"effect": pieces.get(("effect",))}, work.entities)
    if ("returns",) in usual and {("returns",), ("effect",)} & {one.piece for one, _ in wrong}:
        other = judge(work.bench, work.declared[name], pieces_of(elements) | usual, work.specs)
        if not {("returns",), ("effect",)} & {one.piece for one, _ in other.dropped}:
            found, wrong = other, [*other.dropped, *((one, why) for one, why in wrong if one.piece in usual)]
    effect = next((one for one, _ in wrong if one.piece == ("effect",) and isinstance(one.value, dict)), None)
    if effect is not None and found.spec.origins.get("effect") != "model":
        smaller = _smaller_effect(work, name, effect, list(found.kept))
        if smaller is not None:
            found = judge(work.bench, work.declared[name], pieces_of(smaller), work.specs)
    work.world[name], work.said[name] = list(found.kept), list(found.kept)
    work.specs[name] = found.spec
    work.world_dropped[name] = [Unusable(element=one, why=why) for one, why in (*wrong, *rejected)]
    work.dropped[name] = list(work.world_dropped[name])
    ignored = [f"{name}: {IGNORED.format(name=slot)}" for slot in ignored_arguments(found.spec)]
    return [*told_once(name, wrong), *(ignored if ("effect",) in pieces else ())]


def _smaller_effect(work: Work, name: str, effect: Element, kept: list[Element]) -> list[Element] | None:
    """Return the elements with so much of an effect as fits, where one of its keys does not."""
    for key in _EFFECT_KEYS:
        if key not in effect.value:
            continue
        value = {one: part for one, part in effect.value.items() if one != key}
        smaller = [*kept, Element(effect.piece, effect.at, value)]
        _, faulty = work.bench.read(work.declared[name], pieces_of(smaller))
        if effect.piece not in faulty:
            return smaller
    return None


def take_tools(work: Work, value: Mapping[str, Any], batch: Sequence[ToolSpec]) -> list[str]:
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
        pieces = without_commas(with_commas(as_lists(work.bench.bare[name], pieces)))
        pieces = one_question_each(one_by_one(work.specs[name].returns, pieces))
        pieces = worked_as_calls(work.specs[name], pieces)
        world = [one for one in work.world[name] if one.piece not in pieces]
        elements, accepted, rejected = decided(name, all_elements(pieces), work.decisions)
        work.accepted[name] |= accepted
        found = judge(
            work.bench,
            work.declared[name],
            pieces_of([*world, *elements]),
            work.specs,
            work.accepted[name],
        )
        found = without_what_people_do_not_say(work.bench, work.declared[name], found, work.accepted[name])
        faults += told_once(name, found.dropped)
        faults += [f"{name}: {gap}" for gap in found.gaps]
        faults += [f"{name}: {slot}: {how}" for slot, how in said_as_json(found.spec)]
        faults += [f"{name}: {NEVER_ASKED.format(slot=slot)}" for slot in [*never_asked(found.spec)][:1]]
        own = [piece[1] for piece in pieces_of(world) if piece[0] == "links" and piece[1] in found.spec.required]
        faults += [f"{name}: links.{slot}: {UNFOLLOWED}" for slot in unfollowed(found.spec) if slot in own]
        if not fault_of_trial(found.spec):
            faults += [f"{name}: {one.piece}: {one.message}" for one in worked_faults(found.spec)]
        _settle(work, name, found, rejected)
    return faults


def _settle(work: Work, name: str, found: Judged, rejected: Sequence[tuple[Element, str]]) -> None:
    work.said[name], work.specs[name], work.gaps[name] = list(found.kept), found.spec, found.gaps
    more = [Unusable(element=one, why=why) for one, why in (*found.dropped, *rejected)]
    work.dropped[name] = [*work.world_dropped[name], *more]
    work.described.add(name)


_EFFECT_KEYS = ("sort", "needs", "limit", "where", "refers", "set", "by")
