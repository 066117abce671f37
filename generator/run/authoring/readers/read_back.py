"""Two readers read every phrase; what they do not read as it was written is dropped."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from generator.core.toolbox import ToolSpec
from generator.run.authoring.elements import all_elements, pieces_of
from generator.run.authoring.readers.items import Item, items_of
from generator.run.authoring.readers.reading import ITEMS, Reading, read_by, reading_request
from generator.run.authoring.result import Unusable
from generator.run.authoring.work import Work
from generator.run.authoring.writer.values import (
    VALUES,
    values_of_fields,
)


async def read_back(work: Work, names: Sequence[str]) -> None:
    """Have two readers read every phrase of some tools, and drop what they do not read as it was written."""
    cut = _items(work, names)
    prompts = (work.prompts.read, work.prompts.read_second)
    tools = list(work.specs.values())
    jobs: list[Callable[[], Awaitable[Any]]] = []
    for number, items in enumerate(cut, start=1):
        for at, (reader, prompt) in enumerate(zip(work.people.readers, prompts, strict=True), start=1):
            asked = reading_request(f"3-read-{number:02d}-reader-{at}", tools, items, prompt)
            jobs.append(partial(read_by, reader, asked, items))
    found = await work.answers("readers", jobs)
    readings = [
        Reading(item=item, faults=tuple(faults))
        for number, items in enumerate(cut)
        for (_, item), *faults in zip(items, found[2 * number], found[2 * number + 1], strict=True)
    ]
    readings = await _read_a_third_time(work, cut, readings)
    for (spec, _), reading in zip((one for items in cut for one in items), readings, strict=True):
        _read_as(work, spec.name, reading)
    for name in names:
        if not work.bench.adds and work.said[name]:
            known = pieces_of(work.said[name])
            work.said[name] += all_elements(values_of_fields(work.read(name, known), known))
        work.specs[name] = work.read(name, pieces_of(work.said[name]))


def _items(work: Work, names: Sequence[str]) -> list[list[tuple[ToolSpec, Item]]]:
    """Return what is to be read in batches, the texts of a tool together."""
    cut: list[list[tuple[ToolSpec, Item]]] = []
    for name in names:
        known = work.accepted[name] | work.well_read[name]
        elements = [one for one in work.said[name] if one.identity not in known]
        items = [(work.specs[name], item) for item in items_of(work.specs[name], elements)]
        if items and (not cut or len(cut[-1]) + len(items) > ITEMS):
            cut.append([])
        if items:
            cut[-1] += items
    return cut


async def _read_a_third_time(
    work: Work, cut: Sequence[Sequence[tuple[ToolSpec, Item]]], readings: list[Reading]
) -> list[Reading]:
    """Have what only one of two readers reads as it was written read once more: two of three decide."""
    open_ = [(spec, item, at) for at, (spec, item) in enumerate(one for items in cut for one in items)]
    open_ = [one for one in open_ if readings[one[2]].is_disputed]
    third, tools = work.people.judge or work.people.readers[0], list(work.specs.values())
    batches_ = [open_[at : at + ITEMS] for at in range(0, len(open_), ITEMS)]
    jobs: list[Callable[[], Awaitable[Any]]] = []
    for number, batch in enumerate(batches_, start=1):
        items = [(spec, item) for spec, item, _ in batch]
        asked = reading_request(f"3-third-{number:02d}", tools, items, work.prompts.read)
        jobs.append(partial(read_by, third, asked, items))
    found = list(readings)
    for batch, faults in zip(batches_, await work.answers("third reading", jobs) if jobs else [], strict=True):
        for (_, _, at), own in zip(batch, faults, strict=True):
            found[at] = msgspec.structs.replace(found[at], faults=(*found[at].faults, own))
    return found


def _read_as(work: Work, name: str, reading: Reading) -> None:
    if reading.is_kept:
        return
    element = reading.item.element
    why = "; ".join(dict.fromkeys(fault for faults in reading.counted for fault in faults))
    if reading.item.kind == "values":  # what gives the values of that argument goes as a whole
        gone = [one for one in work.said[name] if one.piece[1:] == element.piece[1:] and one.piece[0] in VALUES]
    else:
        gone = [element]
    work.said[name] = [one for one in work.said[name] if not any(one is other for other in gone)]
    work.dropped[name] += [Unusable(element=one, why=why, is_disputed=reading.is_disputed) for one in gone]
