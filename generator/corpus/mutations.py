"""Mutations: named changes that break a valid completion.

Each takes a draft (a text and the calls it was written from) and gives the broken text, or None where it does not apply.
After any of them a parser may read the calls, other calls, or none, so the verdict is `i`: only the invariants count. Where
all sensible readings can be listed, the mutation lists them. To add one: a function here, and its name in the tuple below.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

from generator.corpus.case import Call
from generator.corpus.encodings import write_arguments
from generator.corpus.hard_values import spoken
from generator.corpus.style import Style
from generator.corpus.wire import WireFormat
from generator.corpus.writing import Schemas, write, write_call
from generator.seeds import Draw

Calls = tuple[Call, ...]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A valid completion and what it was written from."""

    fmt: WireFormat
    text: str
    calls: Calls
    content: str | None
    style: Style
    schemas: Schemas

    def again(self, calls: Calls) -> str:
        """The completion with other calls."""
        return write(self.fmt, calls, self.content, self.style, self.schemas)

    def arguments_text(self, index: int) -> str:
        """The arguments of one call as they stand in the text."""
        call = self.calls[index]
        return write_arguments(self.fmt, call.arguments, self.style, self.schemas.get(call.name))

    def with_call(self, index: int, call: Call) -> Calls:
        """The calls with another one at that place."""
        return (*self.calls[:index], call, *self.calls[index + 1 :])


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A broken completion."""

    text: str
    at: int
    """Character at which it was changed."""
    arg: str | None = None
    allowed: tuple[Calls, ...] = ()
    """All readings, where they can be listed."""


Mutate = Callable[[Draft, Draw], Broken | None]


def _replaced(text: str, at: int, length: int, new: str, arg: str | None = None, allowed: tuple[Calls, ...] = ()) -> Broken:
    return Broken(text=text[:at] + new + text[at + length :], at=at, arg=arg, allowed=allowed)


# ------------------------------------------------------------------------------------------- cut and torn texts


def truncate(draft: Draft, draw: Draw) -> Broken | None:
    """The text ends early."""
    first = len(draft.content or "")
    if len(draft.text) - first < 2:
        return None
    at = draw.between(first + 1, len(draft.text) - 1)
    return Broken(text=draft.text[:at], at=at)


def drop_slice(draft: Draft, draw: Draw) -> Broken | None:
    """A few characters are missing."""
    at = draw.below(len(draft.text))
    return _replaced(draft.text, at, draw.between(1, 12), "")


_SIGNS = tuple('{}[]"\\,:<>/|=\'() \n0-aZ`')


def flip_character(draft: Draft, draw: Draw) -> Broken | None:
    """One character is another one."""
    at = draw.below(len(draft.text))
    new = draw.choice(_SIGNS)
    return None if draft.text[at] == new else _replaced(draft.text, at, 1, new, new)


def insert_nul(draft: Draft, draw: Draw) -> Broken | None:
    """U+0000 stands somewhere."""
    return _replaced(draft.text, draw.below(len(draft.text) + 1), 0, "\0")


def byte_order_mark(draft: Draft, draw: Draw) -> Broken | None:
    """The text begins with U+FEFF."""
    return _replaced(draft.text, 0, 0, "\ufeff")


def crlf(draft: Draft, draw: Draw) -> Broken | None:
    """Every line ends with CR LF."""
    at = draft.text.find("\n")
    return Broken(text=draft.text.replace("\n", "\r\n"), at=at) if at >= 0 else None


# ---------------------------------------------------------------------------------------------------- markers


def _markers_in(draft: Draft) -> list[tuple[int, str]]:
    found = [(match.start(), marker) for marker in draft.fmt.markers for match in re.finditer(re.escape(marker), draft.text)]
    return sorted(found)


def drop_marker(draft: Draft, draw: Draw) -> Broken | None:
    """One marker is missing."""
    found = _markers_in(draft)
    if not found:
        return None
    at, marker = draw.choice(found)
    return _replaced(draft.text, at, len(marker), "", marker)


def drop_last_marker(draft: Draft, draw: Draw) -> Broken | None:
    """The end of the text, which closes the calls, is missing: models stop early."""
    found = _markers_in(draft)
    if not found or found[-1][0] + len(found[-1][1]) < len(draft.text.rstrip()):
        return None
    at, marker = found[-1]
    return Broken(text=draft.text[:at], at=at, arg=marker)


def repeat_marker(draft: Draft, draw: Draw) -> Broken | None:
    """One marker stands twice."""
    found = _markers_in(draft)
    if not found:
        return None
    at, marker = draw.choice(found)
    return _replaced(draft.text, at, 0, marker, marker)


def tear_marker(draft: Draft, draw: Draw) -> Broken | None:
    """A space stands inside a marker."""
    found = [(at, marker) for at, marker in _markers_in(draft) if len(marker) > 2]
    if not found:
        return None
    at, marker = draw.choice(found)
    return _replaced(draft.text, at + draw.between(1, len(marker) - 1), 0, " ", marker)


def half_marker_before(draft: Draft, draw: Draw) -> Broken | None:
    """Prose before the calls holds the beginning of their marker."""
    opening = draft.fmt.opening
    if len(opening) < 3 or not draft.fmt.prose:
        return None
    half = opening[: draw.between(1, len(opening) - 1)]
    return _replaced(draft.text, 0, 0, f"Look: {half} ", half, (draft.calls,))


def calls_twice(draft: Draft, draw: Draw) -> Broken | None:
    """The whole text stands twice."""
    if draft.fmt.one or draft.content:
        return None
    return _replaced(draft.text, len(draft.text), 0, draft.text)


def text_after(draft: Draft, draw: Draw) -> Broken | None:
    """The model says something behind the calls."""
    ends = bool(draft.fmt.close.strip()) or draft.fmt.call_pieces[-1][0] == "text"
    said = spoken(draw)
    return _replaced(draft.text, len(draft.text), 0, f"\n{said}", None, (draft.calls,) if ends else ())


def text_between(draft: Draft, draw: Draw) -> Broken | None:
    """The model says something between two calls."""
    if len(draft.calls) < 2:
        return None
    first = write(draft.fmt, draft.calls[:1], draft.content, draft.style, draft.schemas)
    at = len(first) - len(draft.fmt.close)
    if not draft.text.startswith(first[:at]):
        return None
    return _replaced(draft.text, at, 0, f"\n{spoken(draw)}\n")


def fenced(draft: Draft, draw: Draw) -> Broken | None:
    """The calls stand in a code block of Markdown."""
    language = draw.choice(("json", "", "xml", "python", "tool_call"))
    return Broken(text=f"```{language}\n{draft.text}\n```", at=0, arg=language)


# --------------------------------------------------------------------------------------------- JSON that is not


def _with_arguments(draft: Draft, draw: Draw) -> int | None:
    """A call that has arguments."""
    found = [index for index, call in enumerate(draft.calls) if call.arguments]
    return draw.choice(found) if found else None


def _in_arguments(draft: Draft, index: int) -> int:
    """Where the arguments of a call begin in the text."""
    before = write(draft.fmt, draft.calls[: index + 1], draft.content, draft.style, draft.schemas)
    return before.rfind(draft.arguments_text(index))


def _change_json(draft: Draft, draw: Draw, change: Callable[[str], str | None], arg: str | None = None) -> Broken | None:
    """Change the JSON text of one call's arguments."""
    index = _with_arguments(draft, draw) if draft.fmt.arguments == "json" else None
    if index is None:
        return None
    old = draft.arguments_text(index)
    at, new = _in_arguments(draft, index), change(old)
    if at < 0 or new is None or new == old or not draft.text.startswith(old, at):
        return None
    return _replaced(draft.text, at, len(old), new, arg)


def single_quotes(draft: Draft, draw: Draw) -> Broken | None:
    """Texts stand in single quotes."""
    return _change_json(draft, draw, lambda old: old.replace('"', "'"))


def trailing_comma(draft: Draft, draw: Draw) -> Broken | None:
    """A comma stands behind the last argument."""
    return _change_json(draft, draw, lambda old: f"{old[:-1].rstrip()},}}")


def missing_brace(draft: Draft, draw: Draw) -> Broken | None:
    """The brace that closes the arguments is missing."""
    return _change_json(draft, draw, lambda old: old[:-1])


def extra_brace(draft: Draft, draw: Draw) -> Broken | None:
    """One brace too many closes the arguments."""
    return _change_json(draft, draw, lambda old: f"{old}}}")


def double_braces(draft: Draft, draw: Draw) -> Broken | None:
    """Braces are doubled, as in a template."""
    return _change_json(draft, draw, lambda old: f"{{{old}}}")


def missing_quote(draft: Draft, draw: Draw) -> Broken | None:
    """A quote is missing."""

    def change(old: str) -> str:
        at = draw.choice([match.start() for match in re.finditer('"', old)])
        return old[:at] + old[at + 1 :]

    return _change_json(draft, draw, change)


def bare_key(draft: Draft, draw: Draw) -> Broken | None:
    """A key stands without quotes."""
    return _change_json(draft, draw, lambda old: re.sub(r'"(\w+)"(\s*:)', r"\1\2", old, count=1))


def comment(draft: Draft, draw: Draw) -> Broken | None:
    """JSON holds a comment."""
    return _change_json(draft, draw, lambda old: f"{{ /* as asked */ {old[1:]}")


def _replace_arguments(new: Callable[[str], str]) -> Mutate:
    def mutate(draft: Draft, draw: Draw) -> Broken | None:
        return _change_json(draft, draw, new)

    return mutate


def arguments_as_string(draft: Draft, draw: Draw) -> Broken | None:
    """The arguments are a JSON text inside a text; some servers write them so."""
    return _change_json(draft, draw, lambda old: json.dumps(old, ensure_ascii=False))


arguments_as_list = _replace_arguments(lambda old: f"[{old}]")
arguments_as_null = _replace_arguments(lambda old: "null")
arguments_empty_text = _replace_arguments(lambda old: "")


def name_missing(draft: Draft, draw: Draw) -> Broken | None:
    """A call has no name."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    return Broken(text=draft.again(draft.with_call(index, Call("", draft.calls[index].arguments))), at=0)


# ------------------------------------------------------------------------------------------------ odd arguments

_MARK = 918273645546372


def _put_text(draft: Draft, draw: Draw, written: str, *, quoted: bool) -> Broken | None:
    """Put a text where the value of an argument stands (or, quoted, where a text's letters stand)."""
    index = _with_arguments(draft, draw)
    if index is None:
        return None
    call = draft.calls[index]
    key = draw.choice(list(call.arguments))
    value: Any = str(_MARK) if quoted else _MARK
    text = draft.again(draft.with_call(index, Call(call.name, call.arguments | {key: value})))
    at = text.find(str(_MARK))
    return _replaced(text, at, len(str(_MARK)), written, written) if at >= 0 else None


def odd_number(draft: Draft, draw: Draw) -> Broken | None:
    """A number is none of JSON, or greater than any float."""
    written = draw.choice(("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "+1", "01", ".5", "1.", "0x1F", "1_000", "-", "1e", "٣"))
    return _put_text(draft, draw, written, quoted=False)


def python_word(draft: Draft, draw: Draw) -> Broken | None:
    """`True` in JSON, `true` in Python, `undefined` in both."""
    words = ("true", "false", "null", "undefined") if draft.fmt.arguments == "python" else ("True", "False", "None", "undefined")
    return _put_text(draft, draw, draw.choice(words), quoted=False)


def lone_surrogate(draft: Draft, draw: Draw) -> Broken | None:
    """Half a surrogate pair, escaped."""
    if draft.fmt.arguments not in ("json", "python"):
        return None
    return _put_text(draft, draw, draw.choice(("\\ud83d", "\\ude00", "a\\udfff", "\\ude00\\ud83d", "\\uD83Dx")), quoted=True)


def bad_escape(draft: Draft, draw: Draw) -> Broken | None:
    """An escape that JSON does not have."""
    if draft.fmt.arguments not in ("json", "python"):
        return None
    return _put_text(draft, draw, draw.choice(("\\x41", "\\q", "\\u12", "\\'", "\\U0001F600", "\\0", "\\u{41}")), quoted=True)


def raw_control_character(draft: Draft, draw: Draw) -> Broken | None:
    """A line break or control character stands in a JSON text as it is."""
    if draft.fmt.arguments not in ("json", "python"):
        return None
    return _put_text(draft, draw, draw.choice(("a\nb", "a\tb", "a\rb", "a\x01b", "\x1b[0m")), quoted=True)


def duplicate_key(draft: Draft, draw: Draw) -> Broken | None:
    """An argument stands twice with two values: the first or the last may count, or the call may be refused."""
    index = _with_arguments(draft, draw)
    if index is None or draft.fmt.arguments not in ("json", "tags"):
        return None
    call = draft.calls[index]
    key = draw.choice(list(call.arguments))
    first, last = call.arguments[key], draw.choice(("twice", -7, None, [1]))
    old = draft.arguments_text(index)
    extra = write_arguments(draft.fmt, {key: last}, draft.style, draft.schemas.get(call.name))
    new = f"{old[:-1].rstrip()}, {extra.lstrip('{').lstrip()}" if draft.fmt.arguments == "json" else old + extra
    at = _in_arguments(draft, index)
    if at < 0 or draft.fmt.arguments == "tags":
        allowed: tuple[Calls, ...] = ()
    else:
        readings = [Call(call.name, call.arguments | {key: value}) for value in (first, last)]
        allowed = (*[draft.with_call(index, reading) for reading in readings], (*draft.calls[:index], *draft.calls[index + 1 :]), ())
    return _replaced(draft.text, at, len(old), new, key, allowed) if at >= 0 else None


def unknown_function(draft: Draft, draw: Draw) -> Broken | None:
    """A call of a function that is not offered: told as a call or left out."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    name = draw.choice(("no_such_tool", "Ping", "get", "functions_ping", "exit"))
    calls = draft.with_call(index, Call(name, draft.calls[index].arguments))
    without = (*draft.calls[:index], *draft.calls[index + 1 :])
    allowed = (calls, without, ()) if draft.fmt.arguments == "json" else ()
    return Broken(text=draft.again(calls), at=0, arg=name, allowed=allowed)


def odd_name(draft: Draft, draw: Draw) -> Broken | None:
    """A name that holds what no name holds."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    name = draw.choice(("get weather", "naïve", "a.b.c", "x-y", "ping()", "functions.ping", "ping:0", "", "a" * 300, "ping\n", '"ping"'))
    call = Call(name, draft.calls[index].arguments)
    return Broken(text=draft.again(draft.with_call(index, call)), at=0, arg=name)


def extra_keys(draft: Draft, draw: Draw) -> Broken | None:
    """A call object holds a key that nobody asked for."""
    if not any(slot == "object" for kind, slot in draft.fmt.call_pieces if kind == "slot"):
        return None
    index = draw.below(len(draft.calls))
    call = write_call(draft.fmt, draft.calls[index], index, draft.style)
    at = draft.text.find(call)
    brace = call.find("{")
    if at < 0 or brace < 0:
        return None
    extra = draw.choice(('"type": "function", ', '"id": "call_1", ', '"thought": "Let me {see}", ', '"index": 0, '))
    return _replaced(draft.text, at + brace + 1, 0, extra, extra, (draft.calls,))


_MUTATIONS: tuple[Mutate, ...] = (
    truncate, drop_slice, flip_character, insert_nul, byte_order_mark, crlf, drop_marker, drop_last_marker, repeat_marker,
    tear_marker, half_marker_before, calls_twice, text_after, text_between, fenced, single_quotes, trailing_comma, missing_brace,
    extra_brace, double_braces, missing_quote, bare_key, comment, arguments_as_string, name_missing, odd_number, python_word,
    lone_surrogate, bad_escape, raw_control_character, duplicate_key, unknown_function, odd_name, extra_keys,
)  # fmt: skip

MUTATIONS: dict[str, Mutate] = {mutate.__name__: mutate for mutate in _MUTATIONS} | {
    "arguments_as_list": arguments_as_list,
    "arguments_as_null": arguments_as_null,
    "arguments_empty_text": arguments_empty_text,
}
"""Mutations by name."""

AMBIGUOUS = "ambiguous_value"
"""Not a change of the text: a value is called with that the format cannot tell from another."""
