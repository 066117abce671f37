"""Requests that change one part of a thing: "set the due date of job {job_id} to {due_date}", and the answers that tell it."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from generator.tools.describing.frames import ArgumentFrames, argument_in_words
from generator.tools.describing.lexicon import word_lists
from generator.tools.describing.objects import Placed
from generator.tools.describing.reading import ArgumentLeaf, NameReading, is_id

_MOST = 6
"""The most parts for which there are requests of their own."""
_TOLD = 4
"""So many parts are told in answers."""
TEXTS = ("title", "name", "subject", "summary", "description", "note", "comment", "text", "body", "details", "caption")


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """How people ask for changes of one thing."""

    requests: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    slots: dict[str, list[str]] = {}
    """Argument → what adds it to another change."""
    answers: tuple[str, ...] = ()


def changes_parts(leaves: Sequence[ArgumentLeaf]) -> bool:
    """Whether a tool changes what its optional arguments say: one does not "change a job with high priority"."""
    return not any(leaf.required and not is_id(leaf) for leaf in leaves)


def changes_of(
    reading: NameReading, objects: Sequence[Placed], leaves: Sequence[ArgumentLeaf], said: Mapping[str, ArgumentFrames]
) -> Changes | None:
    """Return how people ask for changes; None for a tool that changes no parts of one thing that an argument names."""
    main = next((placed for placed in objects if placed.standing), Placed(""))
    named = next(iter(main.standing), None)
    if reading.effect != "update" or reading.verb.word != "update" or named is None:
        return None
    parts = {leaf.slot: _part(leaf) for leaf in leaves if _is_part(leaf, said[leaf.slot])}
    if not parts or len(set(parts.values())) < len(parts):
        return None
    noun, phrase, value = named
    phrase = main.text if main.text.startswith(phrase) else phrase
    where = " ".join(
        frame
        for leaf in leaves
        if leaf.required and is_id(leaf) and "{" + leaf.slot + "}" not in phrase
        for frame in said[leaf.slot].frames[:1]
    )
    phrase = f"{phrase} {where}".rstrip()
    whose = "their" if noun in word_lists()["people"] else "its"
    texts = {
        leaf.slot
        for leaf in leaves
        if leaf.slot in parts and leaf.type == "text" and leaf.name[-1] in TEXTS and "enum" not in leaf.schema
    }
    requests, follow_ups, slots = [], [], {}
    for slot, part in list(parts.items())[:_MOST]:
        new = _new_value(slot, slot in texts)
        requests += [
            f"{verb} the {part} of {phrase} to {new}" for verb in (("change",) if slot in texts else ("set", "change"))
        ]
        follow_ups.append(
            f"give {value} the new {part} {new}" if slot in texts else f"set the {part} for {value} to {new}"
        )
    for slot, part in parts.items():
        verb = "change" if slot in texts else "set"
        slots[slot] = [f"and {verb} {whose} {part} to {_new_value(slot, slot in texts)}"]
    return Changes(
        requests=tuple(requests),
        follow_ups=tuple(follow_ups),
        slots=slots,
        answers=_answers(parts, texts, re.sub(r"\{(?=\w)", "{args.", phrase)),
    )


def _answers(parts: Mapping[str, str], texts: set[str], phrase: str) -> tuple[str, ...]:
    """Return what tells which parts were changed: one, two or three of them."""
    found = []
    for size in (1, 2, 3):
        for some in combinations(list(parts.items())[:_TOLD], size):
            told = [f"the {part} of {phrase} to" if not at else f"the {part} to" for at, (_, part) in enumerate(some)]
            values = [
                f"{text} {_new_value('args.' + slot, slot in texts)}"
                for text, (slot, _) in zip(told, some, strict=True)
            ]
            text = " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))
            found.append(f"I've changed {text}.")
    return tuple(found)


def _new_value(slot: str, is_text: bool) -> str:
    return "{" + slot + (":quoted}" if is_text else "}")


def _is_part(leaf: ArgumentLeaf, how: ArgumentFrames) -> bool:
    is_plain = (
        leaf.type in ("text", "number")
        and "/" not in leaf.slot
        and (not leaf.required or (leaf.name[-1] in TEXTS and not is_id(leaf)))
    )
    return is_plain and how.say != "never" and bool(how.frames)


def _part(leaf: ArgumentLeaf) -> str:
    """Return what an argument changes: `new_due_date` the due date, `assignee_id` the assignee."""
    words = leaf.name[1:] if len(leaf.name) > 1 and leaf.name[0] == "new" else leaf.name
    words = words[:-1] if len(words) > 1 and words[-1] in ("id", "gid", "key") else words
    words = (*words[:-1], "date") if len(words) > 1 and words[-1] in ("on", "at") else words
    spoken = argument_in_words(words)
    return str(word_lists()["part_names"].get(spoken, spoken))
