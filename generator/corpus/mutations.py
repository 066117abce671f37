"""Mutations: named changes that break a valid completion.

Each takes a draft (a text and the calls it was written from) and gives the broken text, or None where it does not apply.
After any of them a parser may read the calls, other calls, or none, so the verdict is `i`: only the invariants count. Where
all sensible readings can be listed, the mutation lists them. To add one: a function, and its name in the tuple at the end.
"""

import json
import re
from collections.abc import Callable

import msgspec

from generator.core.seeds import Draw
from generator.corpus.toolbox import hard_sentence
from generator.formats.wire.arguments import write_arguments
from generator.formats.wire.completions import write, write_call
from generator.formats.wire.format import ExpectedCall, Style, WireFormat

Calls = tuple[ExpectedCall, ...]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A valid completion and what it was written from."""

    fmt: WireFormat
    text: str
    calls: Calls
    content: str | None
    style: Style

    def again(self, calls: Calls) -> str:
        """The completion with other calls."""
        return write(self.fmt, calls, self.content, self.style)

    def arguments_text(self, index: int) -> str:
        """The arguments of one call as they stand in the text."""
        return write_arguments(self.fmt, self.calls[index].arguments, self.style)

    def with_call(self, index: int, call: ExpectedCall) -> Calls:
        """The calls with another one at that place."""
        return (*self.calls[:index], call, *self.calls[index + 1 :])

    def without_call(self, index: int) -> Calls:
        """The calls but that one."""
        return (*self.calls[:index], *self.calls[index + 1 :])


class BrokenCompletion(msgspec.Struct, frozen=True, kw_only=True):
    """A broken completion."""

    text: str
    at: int
    """Character at which it was changed."""
    arg: str | None = None
    allowed: tuple[Calls, ...] = ()
    """All readings, where they can be listed."""


Mutate = Callable[[Draft, Draw], BrokenCompletion | None]


def with_replaced(
    text: str, at: int, length: int, new: str, arg: str | None = None, allowed: tuple[Calls, ...] = ()
) -> BrokenCompletion:
    """The text with other characters at a place."""
    return BrokenCompletion(text=text[:at] + new + text[at + length :], at=at, arg=arg, allowed=allowed)


def with_arguments(draft: Draft, draw: Draw) -> int | None:
    """Return the index of a drawn call that has arguments; None where no call has."""
    indexes = [index for index, call in enumerate(draft.calls) if call.arguments]
    return draw.choice(indexes) if indexes else None


def in_arguments(draft: Draft, index: int) -> int:
    """Where the arguments of a call begin in the text."""
    return write(draft.fmt, draft.calls[: index + 1], draft.content, draft.style).rfind(draft.arguments_text(index))


def _called(mutate: Mutate, name: str, about: str) -> Mutate:
    mutate.__name__, mutate.__doc__ = name, about
    return mutate


def _marker_fault(
    name: str, about: str, change: Callable[[str, Draw], tuple[int, int, str]], shortest: int = 1
) -> Mutate:
    """Return a mutation of one marker: `change` gives which characters of it make place for what."""

    def mutate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
        """Return the completion with one marker changed; None where it has none that is long enough."""
        markers = [marker for marker in draft.fmt.markers if len(marker) >= shortest]
        occurrences = [
            (match.start(), marker) for marker in markers for match in re.finditer(re.escape(marker), draft.text)
        ]
        if not occurrences:
            return None
        at, marker = draw.choice(sorted(occurrences))
        start, length, new = change(marker, draw)
        return with_replaced(draft.text, at + start, length, new, marker)

    return _called(mutate, name, about)


MARKER_FAULTS: tuple[Mutate, ...] = (
    _marker_fault("drop_marker", "One marker is missing.", lambda marker, draw: (0, len(marker), "")),
    _marker_fault("repeat_marker", "One marker stands twice.", lambda marker, draw: (0, 0, marker)),
    _marker_fault(
        "tear_marker",
        "A space stands inside a marker.",
        lambda marker, draw: (draw.between(1, len(marker) - 1), 0, " "),
        shortest=3,
    ),
)


def drop_last_marker(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The end of the text, which closes the calls, is missing: models stop early."""
    text = draft.text.rstrip()
    ends = [end for end in (*draft.fmt.markers, draft.fmt.close.strip()) if end and text.endswith(end)]
    marker = max(ends, key=len, default="")
    at = len(text) - len(marker)
    return BrokenCompletion(text=draft.text[:at], at=at, arg=marker) if marker else None


def half_marker_before(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """Prose before the calls holds the beginning of their marker."""
    opening = draft.fmt.opening
    if len(opening) < 3 or not draft.fmt.prose or draft.fmt.before != "$text":
        return None
    half = opening[: draw.between(1, len(opening) - 1)]
    return with_replaced(draft.text, 0, 0, f"Look: {half} ", half, (draft.calls,))


def calls_twice(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The whole text stands twice."""
    return None if draft.fmt.one or draft.content else with_replaced(draft.text, len(draft.text), 0, draft.text)


def text_after(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The model says something behind the calls."""
    ends = bool(draft.fmt.close.strip()) or draft.fmt.call_pieces[-1][0] == "text"
    sentence = f"\n{hard_sentence(draw)}"
    readings: tuple[Calls, ...] = (draft.calls, ()) if not draft.fmt.opening else (draft.calls,) if ends else ()
    return with_replaced(draft.text, len(draft.text), 0, sentence, None, readings)  # without markers all may be prose


def text_between(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The model says something between two calls."""
    if len(draft.calls) < 2:
        return None
    first = write(draft.fmt, draft.calls[:1], draft.content, draft.style)
    at = len(first) - len(draft.fmt.close)
    if not draft.text.startswith(first[:at]):
        return None
    return with_replaced(draft.text, at, 0, f"\n{hard_sentence(draw)}\n")


def fenced(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The calls stand in a code block of Markdown."""
    language = draw.choice(("json", "", "xml", "python", "tool_call"))
    return BrokenCompletion(text=f"```{language}\n{draft.text}\n```", at=0, arg=language)


def truncate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The text ends early."""
    first = len(draft.content or "")
    if len(draft.text) - first < 2:
        return None
    at = draw.between(first + 1, len(draft.text) - 1)
    return BrokenCompletion(text=draft.text[:at], at=at)


def drop_slice(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A few characters are missing."""
    return with_replaced(draft.text, draw.below(len(draft.text)), draw.between(1, 12), "")


_SIGNS = tuple("{}[]\"\\,:<>/|='() \n0-aZ`")


def flip_character(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """One character is another one."""
    at = draw.below(len(draft.text))
    new = draw.choice(_SIGNS)
    return None if draft.text[at] == new else with_replaced(draft.text, at, 1, new, new)


def insert_nul(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """U+0000 stands somewhere."""
    return with_replaced(draft.text, draw.below(len(draft.text) + 1), 0, "\0")


def byte_order_mark(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The text begins with U+FEFF."""
    return with_replaced(draft.text, 0, 0, "\ufeff")


def crlf(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """Every line ends with CR LF."""
    at = draft.text.find("\n")
    return BrokenCompletion(text=draft.text.replace("\n", "\r\n"), at=at) if at >= 0 else None


def _json_fault(name: str, about: str, change: Callable[[str, Draw], str]) -> Mutate:
    """Return a mutation that changes the JSON text of one call's arguments."""

    def mutate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
        """Return the completion with the JSON of one call's arguments changed; None where that cannot be."""
        index = with_arguments(draft, draw) if draft.fmt.arguments == "json" else None
        if index is None:
            return None
        old, at = draft.arguments_text(index), in_arguments(draft, index)
        new = change(old, draw)
        if at < 0 or new == old or not draft.text.startswith(old, at):
            return None
        return with_replaced(draft.text, at, len(old), new)

    return _called(mutate, name, about)


def _without_a_quote(old: str, draw: Draw) -> str:
    at = draw.choice([match.start() for match in re.finditer('"', old)])
    return old[:at] + old[at + 1 :]


JSON_FAULTS: tuple[Mutate, ...] = (
    _json_fault("single_quotes", "Texts stand in single quotes.", lambda old, draw: old.replace('"', "'")),
    _json_fault("trailing_comma", "A comma stands behind the last argument.", lambda old, draw: f"{old[:-1].rstrip()},}}"),
    _json_fault("missing_brace", "The brace that closes the arguments is missing.", lambda old, draw: old[:-1]),
    _json_fault("extra_brace", "One brace too many closes the arguments.", lambda old, draw: f"{old}}}"),
    _json_fault("double_braces", "Braces are doubled, as in a template.", lambda old, draw: f"{{{old}}}"),
    _json_fault("missing_quote", "A quote is missing.", _without_a_quote),
    _json_fault(
        "bare_key", "A key stands without quotes.", lambda old, draw: re.sub(r'"(\w+)"(\s*:)', r"\1\2", old, count=1)
    ),
    _json_fault("comment", "JSON holds a comment.", lambda old, draw: f"{{ /* as asked */ {old[1:]}"),
    _json_fault(
        "arguments_as_string",
        "The arguments are a JSON text inside a text; some servers write them so.",
        lambda old, draw: json.dumps(old, ensure_ascii=False),
    ),
    _json_fault("arguments_as_list", "The arguments are a list of one object.", lambda old, draw: f"[{old}]"),
    _json_fault("arguments_as_null", "The arguments are null.", lambda old, draw: "null"),
    _json_fault("arguments_empty_text", "The arguments are left out.", lambda old, draw: ""),
)  # fmt: skip


def name_missing(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A call has no name."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    nameless = ExpectedCall("", draft.calls[index].arguments)
    return BrokenCompletion(text=draft.again(draft.with_call(index, nameless)), at=0)


_MARK = 918273645546372


def _odd_value(name: str, about: str, words: tuple[str, ...], quoted: bool, python: tuple[str, ...] = ()) -> Mutate:
    """Return a mutation that puts one of `words` where the value of an argument stands, or of `python` where arguments are Python's.

    `quoted` ones stand inside of a text, in a format that writes texts with escapes.
    """

    def mutate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
        """Return the completion with an odd word as the value of one argument; None where no call has arguments."""
        index = with_arguments(draft, draw)
        if index is None or (quoted and draft.fmt.arguments not in ("json", "python")):
            return None
        call = draft.calls[index]
        key = draw.choice(list(call.arguments))
        marked = ExpectedCall(call.name, call.arguments | {key: str(_MARK) if quoted else _MARK})
        written = draw.choice(python if python and draft.fmt.arguments == "python" else words)
        text = draft.again(draft.with_call(index, marked))
        at = text.find(str(_MARK))
        return with_replaced(text, at, len(str(_MARK)), written, written) if at >= 0 else None

    return _called(mutate, name, about)


ODD_VALUES: tuple[Mutate, ...] = (
    _odd_value(
        "odd_number",
        "A number that JSON does not have, or one greater than any float.",
        ("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "+1", "01", ".5", "1.", "0x1F", "1_000", "-", "1e", "٣"),
        quoted=False,
    ),
    _odd_value(
        "python_word",
        "`True` in JSON, `true` in Python, `undefined` in both.",
        ("True", "False", "None", "undefined"),
        quoted=False,
        python=("true", "false", "null", "undefined"),
    ),
    _odd_value(
        "lone_surrogate",
        "Half a surrogate pair, escaped.",
        ("\\ud83d", "\\ude00", "a\\udfff", "\\ude00\\ud83d", "\\uD83Dx"),
        quoted=True,
    ),
    _odd_value(
        "bad_escape",
        "An escape that JSON does not have.",
        ("\\x41", "\\q", "\\u12", "\\'", "\\U0001F600", "\\0", "\\u{41}"),
        quoted=True,
    ),
    _odd_value(
        "raw_control_character",
        "A line break or control character stands in a JSON text as it is.",
        ("a\nb", "a\tb", "a\rb", "a\x01b", "\x1b[0m"),
        quoted=True,
    ),
)


def duplicate_key(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """An argument stands twice with two values: the first or the last may count, or the call may be refused."""
    index = with_arguments(draft, draw)
    if index is None:
        return None
    call = draft.calls[index]
    key = draw.choice(list(call.arguments))
    first, last = call.arguments[key], draw.choice(("twice", -7, None, [1]))
    old = draft.arguments_text(index)
    extra = write_arguments(draft.fmt, {key: last}, draft.style)
    if draft.fmt.arguments == "json":
        new = f"{old[:-1].rstrip()}, {extra.lstrip('{').lstrip()}"
    else:
        new = old + {"tags": "", "nested": "", "python": ", ", "braces": ","}[draft.fmt.arguments] + extra
    at = in_arguments(draft, index)
    readings = [ExpectedCall(call.name, call.arguments | {key: value}) for value in (first, last)]
    allowed = (*[draft.with_call(index, reading) for reading in readings], draft.without_call(index), ())
    is_json = draft.fmt.arguments == "json"
    return with_replaced(draft.text, at, len(old), new, key, allowed if is_json else ()) if at >= 0 else None


def unknown_function(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A call of a function that is not offered: told as a call or left out."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    name = draw.choice(("no_such_tool", "Ping", "get", "functions_ping", "exit"))
    calls = draft.with_call(index, ExpectedCall(name, draft.calls[index].arguments))
    allowed = (calls, draft.without_call(index), ()) if draft.fmt.arguments == "json" else ()
    return BrokenCompletion(text=draft.again(calls), at=0, arg=name, allowed=allowed)


_ODD_NAMES = (
    "get weather", "naïve", "a.b.c", "x-y", "ping()", "functions.ping", "ping:0", "", "a" * 300, "ping\n", '"ping"',
)  # fmt: skip


def odd_name(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A name with characters that names do not have."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    name = draw.choice(_ODD_NAMES)
    call = ExpectedCall(name, draft.calls[index].arguments)
    return BrokenCompletion(text=draft.again(draft.with_call(index, call)), at=0, arg=name)


def extra_keys(draft: Draft, draw: Draw) -> BrokenCompletion | None:
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
    return with_replaced(draft.text, at + brace + 1, 0, extra, extra, (draft.calls,))


_MUTATIONS: tuple[Mutate, ...] = (
    truncate, drop_slice, flip_character, insert_nul, byte_order_mark, crlf, MARKER_FAULTS[0], drop_last_marker, *MARKER_FAULTS[1:],
    half_marker_before, calls_twice, text_after, text_between, fenced, *JSON_FAULTS, name_missing, *ODD_VALUES,
    duplicate_key, unknown_function, odd_name, extra_keys,
)  # fmt: skip

MUTATIONS: dict[str, Mutate] = {mutate.__name__: mutate for mutate in _MUTATIONS}
"""Mutations by name."""

AMBIGUOUS = "ambiguous_value"
"""Not a change of the text: a value is called with that the format cannot tell from another."""
