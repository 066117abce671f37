"""Mutations: values, keys and names that do not belong in a call."""

from generator.core.seeds import Draw
from generator.corpus.mutations.draft import (
    BrokenCompletion,
    Calls,
    Draft,
    Mutate,
    in_arguments,
    with_arguments,
    with_replaced,
)
from generator.formats.wire.arguments import write_arguments
from generator.formats.wire.format import ExpectedCall
from generator.formats.wire.writing import write_call

_MARK = 918273645546372


def _odd_value(name: str, about: str, words: tuple[str, ...], quoted: bool, python: tuple[str, ...] = ()) -> Mutate:
    """Return a mutation that puts letters where the value of an argument stands.

    Args:
        name: Of the mutation.
        about: What it does.
        words: One of these is put there.
        quoted: They stand inside of a text, in a format that writes texts with escapes.
        python: What stands there instead where arguments are Python's.
    """

    def mutate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
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

    mutate.__name__, mutate.__doc__ = name, about
    return mutate


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
    if at < 0 or draft.fmt.arguments != "json":
        allowed: tuple[Calls, ...] = ()
    else:
        readings = [ExpectedCall(call.name, call.arguments | {key: value}) for value in (first, last)]
        allowed = (
            *[draft.with_call(index, reading) for reading in readings],
            (*draft.calls[:index], *draft.calls[index + 1 :]),
            (),
        )
    return with_replaced(draft.text, at, len(old), new, key, allowed) if at >= 0 else None


def unknown_function(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A call of a function that is not offered: told as a call or left out."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    name = draw.choice(("no_such_tool", "Ping", "get", "functions_ping", "exit"))
    calls = draft.with_call(index, ExpectedCall(name, draft.calls[index].arguments))
    without = (*draft.calls[:index], *draft.calls[index + 1 :])
    allowed = (calls, without, ()) if draft.fmt.arguments == "json" else ()
    return BrokenCompletion(text=draft.again(calls), at=0, arg=name, allowed=allowed)


def odd_name(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A name with characters that names do not have."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    name = draw.choice(
        (
            "get weather",
            "naïve",
            "a.b.c",
            "x-y",
            "ping()",
            "functions.ping",
            "ping:0",
            "",
            "a" * 300,
            "ping\n",
            '"ping"',
        )
    )
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
