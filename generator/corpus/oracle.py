"""What a text must be read as, whole or cut off: whether its calls have one meaning, which readings they have, and whether it calls nothing."""

from itertools import islice, product
from typing import Any

from generator.corpus.case import Emissions
from generator.corpus.check.judge import same_calls
from generator.corpus.chunks import size_of
from generator.formats.wire.arguments import alternatives, representable
from generator.formats.wire.completions import Completion, read
from generator.formats.wire.encodings import holds, plain_values, read_json_at
from generator.formats.wire.format import ExpectedCall, Schemas, WireFormat, properties_of

Calls = tuple[ExpectedCall, ...]
_MOST_READINGS = 8


def has_one_meaning(fmt: WireFormat, text: str, calls: Calls, content: str | None, schemas: Schemas) -> bool:
    """Whether the format writes every value exactly, and our own reader reads these calls and nothing else."""
    for call in calls:
        declared = properties_of(schemas.get(call.name))
        if not all(representable(fmt, value, declared.get(key, {})) for key, value in call.arguments.items()):
            return False
    return reads_as_meant(fmt, text, calls, content, schemas)


def reads_as_meant(fmt: WireFormat, text: str, calls: Calls, content: str | None, schemas: Schemas) -> bool:
    """Whether our own reader reads these calls and nothing else, and no server stops inside of them."""
    if ends_inside(fmt, text, calls):
        return False
    if content and (fmt.opening in content if fmt.opening else not fmt.prose):
        return False
    completion = read(fmt, text, schemas)
    return completion is not None and not completion.after and same_calls(completion.calls, calls, strict_numbers=True)


def ends_inside(fmt: WireFormat, text: str, calls: Calls) -> bool:
    """Whether a token stands in an argument at which servers end the turn, or a message."""
    stops = (*fmt.end, *(fmt.special if fmt.thoughts_inside else ()))
    if "\\" not in text and not holds(text, stops):  # every value stands there as it is, and none holds one
        return False
    leaves = (leaf for call in calls for leaf in plain_values(call.arguments))
    return any(holds(leaf, stops) for leaf in leaves if isinstance(leaf, str))


def readings_of(fmt: WireFormat, calls: Calls, schemas: Schemas) -> tuple[Calls, ...]:
    """Return all lists of calls that the text of these calls may be read as.

    None of them where an argument may be read as anything, or where there are more than eight.
    """
    choices: list[list[ExpectedCall]] = []
    for call in calls:
        declared = properties_of(schemas[call.name])
        readings_by_argument = [
            alternatives(fmt, value, declared.get(key, {})) for key, value in call.arguments.items()
        ]
        if any(readings is None for readings in readings_by_argument):
            return ()
        choices.append(
            [
                ExpectedCall(call.name, dict(zip(call.arguments, argument_values, strict=True)))
                for argument_values in islice(
                    product(*[readings for readings in readings_by_argument if readings is not None]),
                    _MOST_READINGS + 1,
                )
            ]
        )
    interpretations = list(islice(product(*choices), _MOST_READINGS + 1))
    return tuple(interpretations) if len(interpretations) <= _MOST_READINGS else ()


def calls_nothing(fmt: WireFormat, text: str, content: str, schemas: Schemas) -> bool:
    """Whether nobody reads a call there, and nothing in it ends what is said."""
    ended = fmt.thoughts_inside and holds(content, fmt.special)
    return not ended and read(fmt, text, schemas, lenient=True) is None


def emissions_of(written: Completion) -> Emissions:
    """Return where the parts of a completion stand, in bytes."""
    text = written.text

    def in_bytes(span: tuple[int, int]) -> tuple[int, int]:
        """Return a span of characters in the text as one of bytes."""
        if text.isascii():
            return span
        start = size_of(text[: span[0]])
        return start, start + size_of(text[span[0] : span[1]])

    return Emissions(
        in_bytes(written.content),
        tuple([in_bytes(name) for name, _ in written.calls]),
        tuple([in_bytes(call) for _, call in written.calls]),
        in_bytes(written.thoughts) if written.thoughts[1] else None,
    )


def readings_of_prefix(
    fmt: WireFormat, calls: Calls, text: bytes, emissions: Emissions, size: int
) -> tuple[Calls, ...]:
    """Return what may be read from the first `size` bytes of a valid text, calls with unfinished arguments apart.

    Nothing, or the calls that are whole there; and the one that is cut off with all its arguments if only markers are
    missing, or, where each argument is an element, with those that are closed.
    """
    whole_calls = sum(end <= size for _, end in emissions.calls)
    interpretations = [(), calls[:whole_calls]]
    if whole_calls < len(calls) and size >= emissions.names[whole_calls][1]:
        start, end = emissions.calls[whole_calls]
        kind, last = fmt.call_pieces[-1]
        if size >= end - (len(last.encode()) if kind == "text" else 0) or _has_arguments(
            fmt, text[emissions.names[whole_calls][1] : size]
        ):
            interpretations.append(calls[: whole_calls + 1])
        elif fmt.argument:
            closed_arguments = _closed(fmt, text[start:size].decode("utf-8", "ignore"), calls[whole_calls].arguments)
            interpretations.append((*calls[:whole_calls], ExpectedCall(calls[whole_calls].name, closed_arguments)))
    return tuple([calls for index, calls in enumerate(interpretations) if calls not in interpretations[:index]])


def _closed(fmt: WireFormat, text: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments whose elements are closed in the beginning of a call: `<arg>city</arg><arg>da` → the city alone."""
    closing, at = fmt.argument.partition("$value")[2].strip(), 0
    closed: dict[str, Any] = {}
    for key, value in arguments.items():
        marker = closing.replace("$key", key)
        at = text.find(marker, at) + len(marker)
        if at < len(marker):
            break
        closed[key] = value
    return closed


def _has_arguments(fmt: WireFormat, behind_name: bytes) -> bool:
    """Whether arguments that are JSON are whole in what stands behind the name of a call."""
    if fmt.arguments != "json":
        return False
    if "$object" in fmt.call and next(iter(fmt.object.values())) == "$arguments":
        return True
    text = behind_name.decode("utf-8", "ignore")
    try:
        read_json_at(text, text.index("{"))
    except ValueError:
        return False
    return True
