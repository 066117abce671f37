"""Completions that call nothing, although they look a little like it.

They are drawn here; that they hold no call is checked by the lenient reader in `reading`.
"""

from collections.abc import Callable

from generator.core.seeds import Draw
from generator.corpus.hard_values import hard_sentence
from generator.formats.wire.format import ExpectedCall, WireFormat, wire_formats
from generator.formats.wire.writing import write

Speak = Callable[[WireFormat, Draw, ExpectedCall], str | None]


def prose(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """Plain sentences."""
    return " ".join([hard_sentence(draw) for _ in range(draw.between(1, 3))])


def half_marker(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """The beginning of a marker, and then prose, or the end of the text."""
    marker = draw.choice(fmt.markers) if fmt.markers else "["
    return draw.choice(_AROUND_HALF).replace("$", marker[: draw.between(1, max(1, len(marker) - 1))])


def bare_marker(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A sentence that mentions a marker."""
    marker = draw.choice(fmt.markers) if fmt.markers else ""
    return draw.choice(_AROUND_MARKER).replace("$", marker) if marker else None


_AROUND_HALF = ("Type $ and wait.", "$", "Look at this:\n$", "a $ b $")
_AROUND_MARKER = ("Calls are written with $ here.", "`$` is a marker.", "The docs say: $")


def words_behind_marker(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A long text mentions the marker that opens calls: what follows must not be held back."""
    return (
        f"Calls begin with {fmt.opening} in this model. {'It is only a word here, and more words follow. ' * 12}".strip()
        if fmt.opening
        else None
    )


def code_block(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A code block of Markdown, in prose."""
    return (
        f"Here is how:\n\n```{draw.choice(('python', 'json', 'xml', ''))}\n{draw.choice(_CODE)}\n```\n\nDoes that help?"
    )


_CODE = (
    "for i in range(3):\n    print(i)", '{"city": "Oslo", "days": 2}', '[1, 2, {"a": []}]', '<root><item key="a">1</item></root>',
    "def f(x=1):\n    return {x: [x]}", "SELECT name, arguments FROM calls;", "$ curl -d '{\"q\": 1}' localhost",
)  # fmt: skip


def json_in_prose(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """JSON that is not a call."""
    return draw.choice(
        (
            'The answer is {"temperature": 12, "unit": "C"}.', '{"temperature": 12}', "[1, 2, 3]", "[]", "{}", '"done"', "null", "true",
            'Use {"a": {"b": [1]}} as the body.', '{"status": "ok", "items": ["a", "b"]}', "Pick one of [red, green, blue].",
            "f(x) = [x, 2x] for x in {1, 2}",
        )
    )  # fmt: skip


_FOREIGN = (
    "hermes", "mistral_text", "mistral_text-v3", "llama4_pythonic", "deepseek_v31", "jamba", "internlm2", "longcat", "kimi_k2",
    "lfm2", "functionary_v31", "minimax_m2", "gemma4", "granite3",
)  # fmt: skip
"""Not all formats: a new one would change the case of every other."""


def foreign_call(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A call in another format, with markers that this one does not know."""
    known = [wire_formats()[name] for name in _FOREIGN]
    others = [other for other in known if other.opening and not set(other.markers) & set(fmt.markers)]
    if not fmt.opening or not others:
        return None
    other = draw.choice(others)
    text = write(other, (call,))
    return (
        None if any(marker in text for marker in fmt.special) else draw.choice((text, f"In another dialect: `{text}`"))
    )


def thinking_only(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """Thoughts about a call that is never made, in markers that the format does not have."""
    if "<think>" in (fmt.thoughts or ""):
        return None
    return (
        f"<think>I could call {call.name} with {', '.join(call.arguments) or 'nothing'}.</think>\n{hard_sentence(draw)}"
    )


def nothing(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """No text, or white space."""
    return draw.choice(("", " ", "\n", "\n\n"))


_NO_CALLS: tuple[Speak, ...] = (
    prose,
    half_marker,
    bare_marker,
    words_behind_marker,
    code_block,
    json_in_prose,
    foreign_call,
    thinking_only,
    nothing,
)
NO_CALLS: dict[str, Speak] = {speak.__name__: speak for speak in _NO_CALLS}
"""Ways to call nothing, by name."""
