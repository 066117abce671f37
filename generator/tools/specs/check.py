"""Check that what a spec says beside the function fits the function: slots, examples, links, words that nobody could tell apart."""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.documents import Place, nearest
from generator.core.errors import SpecError
from generator.core.exact_json import is_json
from generator.core.offline_schemas import validator
from generator.core.pointers import parts_of_object, schema_at, types_at, types_of, unescape, variants
from generator.core.templates import Plural, Root, Segment, Slot, parse_template
from generator.core.toolbox import LeftOut, Tally, Toolbox, ToolSpec
from generator.tools.specs.models import without_own_keywords
from generator.tools.specs.shown import check_shown

_HEADS = ("request", "question", "want", "again", "entry", "follow_up", "found")
_BY_ARGUMENT = ("examples", "kinds", "context", "patterns", "say")
_VERB_PHRASE = "a verb phrase without slots, digits, a capital or a mark at its end"
Phrase = tuple[Place, str, tuple[Segment, ...]]


SAME_WORDS = "{earlier!r} has the same words, and the values do not show which is meant"


def same_words(spec: ToolSpec) -> Iterator[tuple[Place, str, str]]:
    """Yield (place, phrase, earlier phrase) where the values do not show which of the two is meant."""
    phrases_by_words: dict[tuple[str, ...], list[Phrase]] = {}
    for at, text in _texts(spec):
        try:
            segments = parse_template(text).segments
        except ValueError:  # told elsewhere
            continue
        words = (
            str(at[1] == "slots"),
            *[segment.casefold() if isinstance(segment, str) else "{}" for segment in segments],
        )
        same = phrases_by_words.setdefault(words, [])
        for _, other, others in same:
            pairs = [(a, b) for a, b in zip(segments, others, strict=True) if not isinstance(a, str) and a != b]
            if pairs and all(_reads_alike(spec, a, b) for a, b in pairs):
                yield at, text, other
                break
        same.append((at, text, segments))


def _texts(spec: ToolSpec) -> Iterator[tuple[Place, str]]:
    """Yield the phrases that say arguments, with their places; those of requests first, then those of single arguments."""
    for kind in _HEADS:
        yield from ((("phrases", kind, at), text) for at, text in enumerate(getattr(spec.phrases, kind)))
    for slot, frames in spec.phrases.slots.items():
        yield from ((("phrases", "slots", slot), text) for text in frames.frames)


def _reads_alike(spec: ToolSpec, first: Segment, second: Segment) -> bool:
    """Whether the values of two slots are said and read in the same way."""
    if isinstance(first, Plural) and isinstance(second, Plural):
        return (first.one, first.many) == (second.one, second.many)
    return isinstance(first, Slot) and isinstance(second, Slot) and _read_as(spec, first) == _read_as(spec, second)


def _read_as(spec: ToolSpec, slot: Slot) -> tuple[object, ...]:
    """Return what decides how the value of a slot is read."""
    schema = schema_at(spec.tool.parameters, slot.slot) or {}
    facts = [schema.get(key) for key in ("format", "pattern", "enum", "const")]
    return slot.verbalizer, types_of(schema) - {"null"}, facts, spec.kinds.get(slot.slot)


SpecFault = tuple[Place, str]


def check_spec(spec: ToolSpec) -> Iterator[SpecFault]:
    """Yield faults of one tool, each with its place below the tool."""
    yield from _check_slots_exist(spec)
    yield from _check_unsaid(spec)
    yield from _check_groups(spec)
    yield from _check_requests(spec)
    for at, text, earlier in same_words(spec):
        yield at, f"{text!r}: {SAME_WORDS.format(earlier=earlier)}"
    yield from _check_answers(spec)
    yield from check_shown(spec)
    yield from _check_examples(spec)
    yield from _check_example_calls(spec)


def with_links_that_hold(spec: ToolSpec, toolbox: Toolbox) -> tuple[ToolSpec, list[LeftOut]]:
    """Return the tool without links that no person has written to fields that results do not have, and those of a model's.

    Links to tools that are not loaded do nothing.

    Raises:
        SpecError: for a link that a person has written.
    """
    kept, left_out = [], []
    for link in spec.links:
        source = toolbox.get(link.tool)
        if source is None or schema_at(source.returns, link.result) is not None:
            kept.append(link)
            continue
        suggestion = nearest(link.result, _places(source.returns))
        piece, why = f"links.{link.argument}", f"the result of {link.tool} has no {link.result}{suggestion}"
        origin = spec.origins.get(piece)
        if origin not in ("derived", "model"):
            raise SpecError(f"{spec.where}: {piece}: {why}")
        left_out += [LeftOut("piece", f"{spec.name}: {piece}", why)] if origin == "model" else []
    return msgspec.structs.replace(spec, links=tuple(kept)) if len(kept) < len(spec.links) else spec, left_out


def _check_slots_exist(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check that all arguments and lists of the result that are named beside the function are there."""
    phrases = spec.phrases
    named_slots: list[tuple[Place, str]] = [(("links", link.argument), link.argument) for link in spec.links]
    named_slots += [((key, slot), slot) for key in _BY_ARGUMENT for slot in getattr(spec, key)]
    named_slots += [(("relations",), side) for relation in spec.relations for side in (relation.left, relation.right)]
    named_slots += [(("phrases", "slots", slot), slot) for slot in phrases.slots]
    named_slots += [(("phrases", "vary"), slot) for slot in phrases.vary]
    named_slots += [(("phrases", "ask", slot), slot) for slot in phrases.ask]
    for place, slot in named_slots:
        if schema_at(spec.tool.parameters, slot) is None:
            yield place, f"{spec.name} has no parameter {slot!r}{nearest(slot, _places(spec.tool.parameters))}"
    for slot in spec.phrases.vary:
        if "/" in slot:
            yield ("phrases", "vary"), f"{slot!r} is a part of an argument; calls can differ in a whole one only"
    lists = [(("phrases", "each", slot), slot) for slot in spec.phrases.each]
    lists += [(("phrases", key, slot), slot) for key in ("pick", "tally") for slot in getattr(spec.phrases, key)]
    for place, slot in lists:
        if schema_at(spec.returns, slot) is None:
            yield place, f"the result of {spec.name} has no {slot!r}{nearest(slot, _places(spec.returns))}"
        elif not _may_be_list(spec.returns, slot):
            yield place, f"{slot!r} is not a list"


def _check_unsaid(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check `say`: only optional arguments are left out or seldom said."""
    for slot, often in spec.say.items():
        if "/" in slot and (often != "never" or not may_be_left_out(spec, slot)):
            yield ("say", slot), f"{slot!r} can only be `never` said, where what it stands in may lack it"
        elif slot in spec.required and often == "seldom":
            yield ("say", slot), f"{slot!r} is not an optional argument: it is said in every call"


def _check_groups(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check that groups are of arguments, and that some call can honour all of them."""
    groups = spec.groups
    sets = [("together", group) for group in groups.together]
    sets += [("one_of", alternative) for choice in groups.one_of for alternative in choice]
    for key, name in [(key, name) for key, names in sets for name in names]:
        if name not in spec.properties:
            yield (key,), f"{spec.name} has no argument {name!r}{nearest(name, spec.properties)}"
        elif spec.say.get(name) == "never":
            yield (key,), f"{name!r} is never said, so it cannot go together with others"
    for group in groups.together:
        if len(group) < _LEAST_GROUP:
            yield ("together",), f"{', '.join(group)}: a group has two arguments or more"
        elif {*spec.required}.issuperset(group):
            yield ("together",), f"{', '.join(group)} are required, so they are always together"
    yield from _check_choices(spec, {*spec.required})


def _check_choices(spec: ToolSpec, required: set[str]) -> Iterator[SpecFault]:
    """Check `one_of`: each choice has several sets of arguments, and some call can honour it."""
    for choice in spec.groups.one_of:
        all_names = {name for alternative in choice for name in alternative}
        if len(choice) < _LEAST_GROUP:
            yield ("one_of",), "one set of arguments is no choice"
        elif not any(required.isdisjoint(all_names - {*alternative}) for alternative in choice):
            yield ("one_of",), f"{', '.join(sorted(required & all_names))}: required, so nothing else can be chosen"


_LEAST_GROUP = 2


def may_be_left_out(spec: ToolSpec, slot: str) -> bool:
    """Whether a call is valid without an argument, or without that part of one."""
    around, _, name = slot.rpartition("/")
    return unescape(name) not in (schema_at(spec.tool.parameters, around) or {}).get("required", ())


def _check_requests(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check the phrases with which people ask, and those with which the assistant asks back."""
    phrases = spec.phrases
    for key in ("request", "question", "want", "again", "several", "entry", "follow_up", "found"):
        for index, text in enumerate(getattr(phrases, key)):
            yield from _check_template(spec, text, "arguments", "", ("phrases", key, index))
    for index, text in enumerate(phrases.several):
        if "{" in text:
            yield ("phrases", "several", index), f"{text!r}: this announces several calls, so it has no slots"
    yield from _check_what_the_assistant_says(spec)
    yield from _check_slot_frames(spec)


def _check_what_the_assistant_says(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check `can`, verb phrases after "I can", and `ask`, questions without slots."""
    for at, text in enumerate(spec.phrases.can):
        if not _is_verb_phrase(text):
            yield ("phrases", "can", at), f"{text!r}: this stands after 'I can': {_VERB_PHRASE}"
    for slot, texts in spec.phrases.ask.items():
        for text in texts:
            if "{" in text or any(letter.isdigit() for letter in text) or not text.endswith("?"):
                yield ("phrases", "ask", slot), f"{text!r}: a question has no slots and no digits, and ends with '?'"


def _is_verb_phrase(text: str) -> bool:
    is_small = text[:1].islower()
    return "{" not in text and not any(letter.isdigit() for letter in text) and is_small and text[-1:] not in ".!?,"


def _check_slot_frames(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check how single arguments are said: frames with slots, clauses without."""
    for slot, frames in spec.phrases.slots.items():
        place: Place = ("phrases", "slots", slot)
        for text in frames.frames:
            yield from _check_template(spec, text, "arguments", "", place)
        for text in [text for _, clauses in frames.clauses for text in clauses]:
            if "{" in text or any(letter.isdigit() for letter in text):
                yield place, f"{text!r}: a clause says its value by itself: no slots and no digits"
            elif text.startswith(","):
                yield place, f"{text!r}: a clause stands behind a space; only a frame may begin with a comma"


def _check_answers(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check the phrases that tell results, and the conditions under which they are said."""
    for index, answer in enumerate(spec.phrases.answer):
        place: Place = ("phrases", "answer", index)
        yield from _check_template(spec, answer.say, "result", "", place)
        for slot, _ in answer.when:
            schema = spec.tool.parameters if slot.startswith("args.") else spec.returns
            if schema_at(schema, slot.removeprefix("args.")) is None:
                what = "call" if slot.startswith("args.") else "result"
                yield place, f"the {what} of {spec.name} has no {slot!r}{nearest(slot, _places(schema))}"
    for slot, texts in spec.phrases.each.items():
        for text in texts:
            yield from _check_template(spec, text, "result", f"{slot}/*/", ("phrases", "each", slot))
    yield from _check_picks(spec)
    yield from _check_tallies(spec)
    yield from _check_fields(spec)


def _check_picks(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check the fields by which `best` and `pick` compare elements: `min price`."""
    for best in spec.phrases.best:
        if schema_at(spec.returns, best.by.partition(" ")[2] or "?") is None:
            yield ("phrases", "best"), f"{best.by!r}: this names the field that is compared, as in 'min price'"
    for slot, picks in spec.phrases.pick.items():
        for pick in picks:
            extreme, _, field = pick.by.partition(" ")
            schema = schema_at(spec.returns, f"{slot}/*/{field}") if field else None
            if field and schema is None:
                yield ("phrases", "pick", slot), f"the elements of {slot} have no {field!r}"
            elif extreme in ("min", "max") and not _is_ordered(schema):
                message = f"{pick.by!r}: values of {field} are texts and numbers, which cannot be compared"
                yield ("phrases", "pick", slot), message


def _check_tallies(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check what is said of all elements of a list together."""
    for slot, tally in [(slot, tally) for slot, tallies in spec.phrases.tally.items() for tally in tallies]:
        schema = schema_at(spec.returns, f"{slot}/*/{tally.field}")
        message = (
            f"the elements of {slot} have no {tally.field!r}" if schema is None else _fault_of_tally(tally, schema)
        )
        if message:
            yield ("phrases", "tally", slot), message


def _fault_of_tally(tally: Tally, schema: dict[str, Any]) -> str:
    """Return what is wrong with what is said of a field of all elements, whose schema is given; empty if nothing is."""
    try:
        slots = [part for part in parse_template(tally.say, "result").segments if not isinstance(part, str)]
    except ValueError as fault:
        return f"{tally.say!r}: {fault}"
    if tally.kind == "count" and not is_json(tally.by.split(" ", 2)[2]):
        return f"{tally.by!r}: the value stands at the end as JSON, as in 'count unread true'"
    if tally.kind == "count" and (slots or not _is_verb_phrase(tally.say)):
        return f"{tally.say!r}: this stands after 'Three of them': a verb phrase without slots, as in 'are unread'"
    is_sum = [getattr(slot, "slot", "") for slot in slots] == [tally.field] and schema.get("type") in (
        "number",
        "integer",
    )
    if tally.kind == "sum" and not is_sum:
        return f"{tally.say!r}: this says the sum of numbers, with {{{tally.field}}} in its place"
    return ""


def _is_ordered(schema: Any) -> bool:
    """Whether all values that are not null can be compared: those of a closed list, or of the types that are named."""
    if "enum" in (schema or {}):
        return len({isinstance(value, str) for value in schema["enum"] if value is not None}) < 2
    return not {"string"} < types_of(schema or {}) - {"null"}


def _check_fields(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check what the fields of a result are called: small words, or all in capitals."""
    for name, words in spec.phrases.fields.items():
        place: Place = ("phrases", "fields", name)
        if schema_at(spec.returns, name) is None:
            yield place, f"the result of {spec.name} has no {name!r}{nearest(name, _places(spec.returns))}"
        elif not words.replace(" ", "").isalpha() or not all(
            word.islower() or word.isupper() for word in words.split()
        ):
            what = "this is what stands after 'the': words in small letters, or all in capitals (record ID)"
            yield place, f"{words!r}: {what}"


def _check_template(spec: ToolSpec, text: str, of: Root, prefix: str, place: Place) -> Iterator[SpecFault]:
    """Check that a phrase can be parsed, and that its slots are places of arguments or result; `prefix` is that of a list (`jobs/*/`)."""
    try:
        template = parse_template(text, of)
    except ValueError as fault:
        yield place, f"{text!r}: {fault}"
        return
    root = spec.tool.parameters if of == "arguments" else spec.returns
    for schema, start, slots in ((root, prefix, template.needs), (spec.tool.parameters, "", template.arguments)):
        for slot in sorted(slots):
            full = start.removesuffix("/*/") + "/*" if slot == "." and start else start + slot
            if slot != "." and schema_at(schema, full) is None:
                yield place, f"{text!r}: there is no {full!r}{nearest(full, _places(schema))}"
    for segment in template.segments:
        if not isinstance(segment, str) and segment.count:
            schema, start = (root, prefix) if segment.of == of else (spec.tool.parameters, "")
            full = start.removesuffix("/") if segment.slot == "." else start + segment.slot
            if not _may_be_list(schema, full):
                yield place, f"{text!r}: {full!r} is not a list and has no length"


def _may_be_list(root: Any, slot: str) -> bool:
    """Whether the schema may allow lists there."""
    types = types_at(root, slot)
    return not types or "array" in types


def _check_examples(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check that examples are valid values of their arguments."""
    for slot, values in spec.examples.items():
        schema = schema_at(spec.tool.parameters, slot)
        if schema is None:
            continue
        parameters = spec.tool.parameters or {}
        definitions: dict[str, Any] = {key: parameters[key] for key in ("$defs", "definitions") if key in parameters}
        try:
            test = validator({**definitions, **schema})
        except ValueError:
            continue  # the schema itself is at fault, which is told when it is compiled
        written = spec.written.get("examples", {}).get(slot, ())
        for value in values:
            place: Place = ("examples", slot, written.index(value)) if value in written else ("texts", slot)
            yield from ((place, f"{value!r} is not valid here: {error.message}") for error in test.iter_errors(value))


def _check_example_calls(spec: ToolSpec) -> Iterator[SpecFault]:
    """Check that example calls are of arguments, whole where their result is told, and that the result has such values."""
    returns = without_own_keywords(spec.returns or {})
    results, _ = parts_of_object(returns)
    try:
        of_call, of_result = validator(spec.tool.parameters or {}), validator(returns)
    except ValueError:
        return  # the schema itself is at fault, which is told when it is compiled
    for index, (arguments, result) in enumerate(spec.example_calls):
        place: Place = ("example_calls", index)
        for name in [name for name in arguments if name not in spec.properties]:
            yield place, f"{spec.name} has no argument {name!r}{nearest(name, spec.properties)}"
        for name in [name for name in result if name not in results]:
            yield place, f"the result of {spec.name} has no {name!r}{nearest(name, results)}"
        for why in _invalid(of_call, arguments, bool(result)):
            yield place, f"the arguments are not valid: {why}"
        for why in _invalid(of_result, result, False):
            yield place, f"the result is not valid: {why}"


def _invalid(schema: Any, value: dict[str, Any], is_whole: bool) -> Iterator[str]:
    """Yield why a value is not valid; parts of it that are missing only where it is whole."""
    for error in schema.iter_errors(value):
        if is_whole or "required" not in error.schema_path[:1]:
            yield error.message


def _places(schema: Any, prefix: str = "", depth: int = 4) -> list[str]:
    """Return the slots of a schema, for "did you mean"."""
    slots: list[str] = []
    for variant in variants(schema, schema) if depth else ():
        for name, child in parts_of_object(variant)[0].items():
            slots += [prefix + name, *_places(child, f"{prefix}{name}/", depth - 1)]
        if isinstance(variant.get("items"), dict):
            slots += _places(variant["items"], f"{prefix}*/", depth - 1)
    return list(dict.fromkeys(slots))
