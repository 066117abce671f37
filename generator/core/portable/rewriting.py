"""Another value for a JSON text: what both values have in common stays as it is written."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from generator.core.documents import BYTE_ORDER_MARK
from generator.core.values import same

_SPACE = " \t\r\n"
_decode = json.JSONDecoder().raw_decode


class _Part(NamedTuple):
    """A value in the text: where it stands, and the parts of a list or object by index or key."""

    start: int
    end: int
    value: Any
    members: "dict[str | int, _Member]"


class _Member(NamedTuple):
    start: int
    """Where its key begins; in a list, its value."""
    part: _Part


def rewritten(text: str, value: Any) -> str:
    """Return a JSON text with another value.

    Members that are the same in both keep their bytes: layout, order, numbers and escapes. New ones stand behind them.

    Args:
        text: A legal JSON text without repeated keys; a byte order mark may stand before it.
        value: The new value.
    """
    whole = _part(text, _after_space(text, text.startswith(BYTE_ORDER_MARK)))
    return text[: whole.start] + _written(text, whole, value) + text[whole.end :]


def _part(text: str, start: int) -> _Part:
    if text[start] not in "{[":
        value, end = _decode(text, start)
        return _Part(start, end, value, {})
    members = dict(_members(text, start))
    values = {key: member.part.value for key, member in members.items()}
    last = max((member.part.end for member in members.values()), default=start + 1)
    return _Part(start, _after_space(text, last) + 1, values if text[start] == "{" else list(values.values()), members)


def _members(text: str, start: int) -> Iterator[tuple[str | int, _Member]]:
    at, count = _after_space(text, start + 1), 0
    while text[at] not in "}]":
        first, key = at, count
        if text[start] == "{":
            key, at = _decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        member = _Member(first, _part(text, at))
        yield key, member
        at, count = _after_space(text, member.part.end), count + 1
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _written(text: str, part: _Part, value: Any) -> str:
    if same(part.value, value):
        return text[part.start : part.end]
    kind = type(part.value)
    if kind not in (dict, list) or type(value) is not kind or not part.members or not value:
        return json.dumps(value, ensure_ascii=False)
    new: dict[Any, Any] = dict(value if isinstance(value, dict) else enumerate(value))
    members = list(part.members.items())
    before = text[part.start + 1 : members[0][1].start]
    between = text[members[0][1].part.end : members[1][1].start] if len(members) > 1 else f",{before or ' '}"
    pieces = []
    for index, (key, member) in enumerate(members):
        if key in new:
            own = text[members[index - 1][1].part.end : member.start] if index else between
            named = text[member.start : member.part.start]
            pieces += [own, named + _written(text, member.part, new.pop(key))]
    step = before.rpartition("\n")[2] if "\n" in before else None
    for key, added in new.items():
        named = f"{json.dumps(key, ensure_ascii=False)}: " if kind is dict else ""
        pieces += [between, named + _laid_out(added, step)]
    after = text[members[-1][1].part.end : part.end]
    return text[part.start] + before + "".join(pieces[1:]) + after


def _laid_out(value: Any, step: str | None) -> str:
    """Return a new member: on lines of its own below `step`, the space before it, or on one line where there is none."""
    if step is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", f"\n{step}")
