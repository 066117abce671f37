"""What a text must be read as: whether its calls have one meaning, which readings they have, and whether it calls nothing."""

from itertools import islice, product

from generator.corpus.check.judge import same_calls
from generator.formats.wire.arguments import alternatives, representable
from generator.formats.wire.encodings import holds, plain_values
from generator.formats.wire.format import ExpectedCall, Schemas, WireFormat, properties_of
from generator.formats.wire.reading import read

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
    found = read(fmt, text, schemas)
    return found is not None and not found.after and same_calls(found.calls, calls, strict_numbers=True)


def ends_inside(fmt: WireFormat, text: str, calls: Calls) -> bool:
    """Whether a token stands in an argument at which servers end the turn, or a message."""
    stops = (*fmt.end, *(fmt.special if fmt.thoughts_inside else ()))
    if "\\" not in text and not holds(text, stops):  # every value stands there as it is, and none holds one
        return False
    leaves = (leaf for call in calls for leaf in plain_values(call.arguments))
    return any(holds(leaf, stops) for leaf in leaves if isinstance(leaf, str))


def readings_of(fmt: WireFormat, calls: Calls, schemas: Schemas) -> tuple[Calls, ...]:
    """Return all readings of the calls, if there are few."""
    choices: list[list[ExpectedCall]] = []
    for call in calls:
        declared = properties_of(schemas[call.name])
        values = [alternatives(fmt, value, declared.get(key, {})) for key, value in call.arguments.items()]
        if any(value is None for value in values):
            return ()
        choices.append(
            [
                ExpectedCall(call.name, dict(zip(call.arguments, chosen, strict=True)))
                for chosen in islice(product(*[value for value in values if value is not None]), _MOST_READINGS + 1)
            ]
        )
    found = list(islice(product(*choices), _MOST_READINGS + 1))
    return tuple(found) if len(found) <= _MOST_READINGS else ()


def calls_nothing(fmt: WireFormat, text: str, content: str, schemas: Schemas) -> bool:
    """Whether nobody reads a call there, and nothing in it ends what is said."""
    ended = fmt.thoughts_inside and holds(content, fmt.special)
    return not ended and read(fmt, text, schemas, lenient=True) is None
