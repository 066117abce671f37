"""The tools that are shipped: complete, usable in every phrase, and a pleasure to read."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec
import pytest
from workbench import TODAY, TOOL_SPECS, filled, recipe

from generator.errors import GeneratorError
from generator.planning import Bound, FilledCall, FilledStep, Story
from generator.pointers import leaves, resolve, schema_at, split, variants
from generator.run.row import Workshop, prepare
from generator.seeds import Draw, stream_seed
from generator.specs import load_toolbox
from generator.templates import parse_template
from generator.toolbox import Phrases, Pick, SlotFrames, Toolbox, ToolSpec
from generator.validation.proof import check_proof
from generator.wording import compile_books, word

FILES = sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".yaml", ".yml", ".json", ".jsonl"})


@cache
def toolbox() -> Toolbox:
    return load_toolbox(FILES)


@cache
def shop() -> Workshop:
    return prepare(recipe(FILES, "single"))


def names() -> list[str]:
    """All tools; none when they do not load, which a test of its own tells."""
    try:
        return list(toolbox())
    except GeneratorError:
        return []


every_tool = pytest.mark.parametrize("name", names())


def schemas(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with its place."""
    if isinstance(schema, dict):
        yield place, schema
        for keyword in ("properties", "$defs"):
            for key, part in schema.get(keyword, {}).items():
                yield from schemas(part, f"{place}/{key}")
        for keyword in ("items", "additionalProperties"):
            yield from schemas(schema.get(keyword), f"{place}/*")
        for keyword in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(keyword, ()):
                yield from schemas(part, place)


class TestTheWhole:
    def test_loads_together_and_can_be_used(self):
        assert list(shop().names) == list(load_toolbox(FILES))

    def test_is_large_and_of_many_domains(self):
        sizes = Counter(spec.domain for spec in toolbox().values())
        assert sum(sizes.values()) >= 60
        assert len(sizes) >= 8
        assert min(sizes.values()) >= 4

    def test_is_written_in_json_and_in_yaml(self):
        assert {path.suffix for path in FILES} >= {".json", ".yaml"}

    def test_has_descriptions_of_their_own(self):
        told = Counter(spec.tool.description for spec in toolbox().values())
        assert told.most_common(1)[0][1] == 1

    KINDS: dict[str, Any] = {
        "enum": lambda s: len(s.get("enum", ())) > 1,
        "date": lambda s: s.get("format") == "date",
        "date-time": lambda s: s.get("format") == "date-time",
        "email": lambda s: s.get("format") == "email",
        "uri": lambda s: s.get("format") == "uri",
        "uuid": lambda s: s.get("format") == "uuid",
        "pattern": lambda s: "pattern" in s,
        "lengths": lambda s: {"minLength", "maxLength"} & s.keys(),
        "whole numbers in a range": lambda s: s.get("type") == "integer" and {"minimum", "maximum"} <= s.keys(),
        "numbers in a range": lambda s: s.get("type") == "number" and {"minimum", "maximum"} <= s.keys(),
        "multipleOf": lambda s: "multipleOf" in s,
        "boolean": lambda s: s.get("type") == "boolean",
        "nullable": lambda s: "null" in s.get("type", ()) or {"type": "null"} in s.get("anyOf", ()),
        "nested object": lambda s: s.get("type") == "object" and s.get("properties"),
        "array of text": lambda s: s.get("items", {}).get("type") == "string",
        "array of objects": lambda s: s.get("items", {}).get("type") == "object" or "$ref" in s.get("items", {}),
        "limited array": lambda s: {"minItems", "maxItems"} <= s.keys(),
        "unique items": lambda s: s.get("uniqueItems") is True,
        "const": lambda s: "const" in s,
        "anyOf": lambda s: "anyOf" in s,
        "oneOf": lambda s: "oneOf" in s,
        "$ref": lambda s: "$ref" in s,
        "closed object": lambda s: s.get("additionalProperties") is False,
    }

    @pytest.mark.parametrize("kind", KINDS)
    def test_has_parameters_of_every_kind(self, kind: str):
        found = {
            name
            for name, spec in toolbox().items()
            for place, schema in schemas(spec.tool.parameters)
            if (place or kind in {"closed object"}) and self.KINDS[kind](schema)
        }
        assert found

    def test_has_required_and_optional_parameters(self):
        optional = [
            name
            for name, spec in toolbox().items()
            if set((spec.tool.parameters or {}).get("properties", ())) - set((spec.tool.parameters or {}).get("required", ()))
        ]
        assert len(optional) > len(toolbox()) / 2

    def test_is_linked(self):
        ends = {name for spec in toolbox().values() for link in spec.links for name in (spec.name, link.tool)}
        assert len(ends) >= len(toolbox()) / 2

    def test_has_chains_of_three(self):
        to = {(link.tool, spec.name) for spec in toolbox().values() for link in spec.links}
        assert any(middle == start for _, middle in to for start, _ in to)

    def test_links_lead_to_tools_that_are_shipped(self):
        assert [(spec.name, link.tool) for spec in toolbox().values() for link in spec.links if link.tool not in toolbox()] == []

    def test_every_list_that_is_linked_can_be_picked_from(self):
        without = {
            f"{link.tool}: {link.result}"
            for spec in toolbox().values()
            for link in spec.links
            if "/*" in link.result and not toolbox()[link.tool].phrases.pick.get(link.result.split("/*")[0])
        }
        assert without == set()


@every_tool
class TestEachTool:
    def test_is_described_with_all_its_parameters(self, name: str):
        tool = toolbox()[name].tool
        assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", name)
        assert tool.description
        assert tool.description.endswith(".")
        assert len(tool.description) > 15
        root = tool.parameters or {}
        assert root["type"] == "object"
        assert set(root.get("required", ())) <= set(root.get("properties", ()))
        for key, part in root.get("properties", {}).items():
            described = [part, *variants(root, part)]
            assert any(len(str(schema.get("description", ""))) >= 3 for schema in described), f"{name}: {key}"

    def test_says_what_it_returns(self, name: str):
        returns = toolbox()[name].returns
        assert returns
        assert returns.get("properties") or returns.get("type") != "object"

    def test_has_phrases(self, name: str):
        spec = toolbox()[name]
        phrases = spec.phrases
        assert len(phrases.request) >= 3
        assert len({*phrases.question, *phrases.want}) >= 1
        assert len(phrases.answer) >= 2
        assert bool(phrases.follow_up) or not spec.links
        for texts in (phrases.request, phrases.question, phrases.want, phrases.follow_up, phrases.again, phrases.entry):
            assert len(set(texts)) == len(texts)

    def test_has_examples_and_forms_that_are_not_twice_there(self, name: str):
        spec = toolbox()[name]
        for values in spec.examples.values():
            assert len({msgspec.json.encode(value) for value in values}) == len(values)
        for texts in spec.phrases.each.values():
            assert len(set(texts)) == len(texts)


# -- what is said of each tool ---------------------------------------------------------------------------------------


class Said(NamedTuple):
    user: str
    answer: str
    masked: tuple[str, str]
    """The same, with ◆ for every claimed value."""
    verbalizers: tuple[str, ...]
    """Of the user's values, and `/result` ones of the answer's."""
    faults: list[str]


def drawn(name: str, count: int = 60, optional: float = 0.75) -> list[dict[str, Any]]:
    """Arguments for a tool, most optional ones given."""
    return list(_drawn(name, count, optional))


@cache
def _drawn(name: str, count: int, optional: float) -> tuple[dict[str, Any], ...]:
    from generator.arguments import ArgumentSettings, compile_source

    source = compile_source(toolbox()[name], ArgumentSettings(optional=optional), 1)
    return tuple(source(Draw(stream_seed("library", name, n), TODAY)) for n in range(count))


def make(name: str, arguments: dict[str, Any], spec: ToolSpec | None = None, bound: tuple[Bound, ...] = ()) -> FilledCall:
    result = shop().backend.open(TODAY).answer(name, arguments)
    return filled(spec or toolbox()[name], arguments, result, bound)


def say(call: FilledCall, books: Any = None, seed: object = 0, earlier: FilledCall | None = None) -> Said:
    """The words for one call (after an earlier one), and what is wrong with them."""
    calls = (earlier, call) if earlier is not None else (call,)
    tools = {one.spec.name: one.spec for one in calls}
    story = Story(
        scenario="single",
        turns=(tuple(FilledStep(calls=(one,)) for one in calls),),
        offered=tuple(spec.tool for spec in tools.values()),
        today=TODAY,
        system=f"Today is {TODAY}.",
        knows_today=True,
    )
    talk, proof = word(story, books or compile_books(tools), Draw(stream_seed("say", seed), TODAY))
    user, answer = talk.messages[1].content or "", talk.messages[-1].content or ""
    faults = [f"{fault.rule} {fault.path}: {fault.message}" for fault in check_proof(talk, proof, tools)]
    spans = [[(c.start, c.end) for c in claims] for claims in ([c for c in proof.arguments if c.source == "user"], proof.answers)]
    verbalizers = [str(c.verbalizer) for c in proof.arguments if c.source == "user"] + [f"/{c.verbalizer}" for c in proof.answers]
    return Said(user, answer, (mask(user, spans[0]), mask(answer, spans[1])), tuple(verbalizers), faults)


def mask(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with every span as one sign, so that only what the phrases say is left."""
    for start, end in sorted(set(spans), reverse=True):
        text = text[:start] + ("◆." if text[start:end].endswith(".") else "◆") + text[end:]
    return text


@cache
def spoken(name: str) -> tuple[Said, ...]:
    """Thirty requests for a tool, with their answers."""
    books = compile_books({name: toolbox()[name]})
    found = []
    for number, arguments in enumerate([*drawn(name, 20), *drawn(name, 10, 0.2)]):
        found.append(say(make(name, arguments), books, (name, number)))
    return tuple(found)


UGLY = {
    "two spaces": r"  ",
    "space before a stop": r" [,.;:?!]",
    "stops in a row": r"[,;:]\s*[,.;:?!]|[.?!][,.;:]|\.\.|\?\?|!!|\.[?!]",
    "braces": r"[{}]",
    "a word twice": r"\b([A-Za-z]+) \1\b",
    "a before a": r"\b[Aa]n? (a|an|the|this|any|one)\b",
    "two prepositions": r"\b(on|at|in|for|to|from|by|with|of) (on|at|in|for|to|from|by|of)\b(?! (the|a|an|their|my|your) )",
    "no space after a stop": r"[,;?!][A-Za-z]|(?<!\.[a-z])(?<!\d)[.][A-Z][a-z]",
    "a space at an end": r"^\s|\s$",
    "a number word before a sign": r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) x\b",
}
FINE = {"two prepositions": r"for at (least|most)|from (in|on|at) |up to|in for|for up to|to at (least|most)|in on|on to\b|of at (least|most)|by at (least|most)|from by"}


@every_tool
class TestWhatIsSaid:
    def test_is_proven(self, name: str):
        assert [(said.user, said.answer, said.faults) for said in spoken(name) if said.faults] == []

    @pytest.mark.parametrize("what", UGLY)
    def test_reads_well(self, name: str, what: str):
        found = [
            text
            for said in spoken(name)
            for text, masked in zip((said.user, said.answer), said.masked, strict=True)
            for match in re.finditer(UGLY[what], text if what == "a number word before a sign" else masked)
            if not re.match(FINE.get(what, r"\b\B"), masked[match.start() :])
        ]
        assert found == []

    def test_begins_with_a_capital_and_ends_with_a_stop(self, name: str):
        for said in spoken(name):
            for text, masked in zip((said.user, said.answer), said.masked, strict=True):
                assert masked[0] in "◆-" or text[0].isupper(), text
                assert text[-1] in '.?!"”)' or "\n- " in text, text
                assert not re.search(r"(?<!◆)[.?!] [a-z]", masked), text

    def test_needs_no_json(self, name: str):
        """Every argument has words of its own, and so has what the answers tell."""
        assert [(said.user, said.answer) for said in spoken(name) if {"json", "/json"} & set(said.verbalizers)] == []

    def test_is_varied(self, name: str):
        assert len({said.masked[0] for said in spoken(name)}) >= 8
        assert len({said.masked[1] for said in spoken(name)}) >= 2

    def test_answers_with_a_phrase(self, name: str):
        """Not with the names and values of whatever the result holds."""
        plain = re.compile(rf"^{re.escape(name.replace('_', ' ').capitalize())}: ")
        assert [said.answer for said in spoken(name) if plain.match(said.answer)] == []


@every_tool
def test_results_are_valid_and_have_what_the_answers_need(name: str):
    spec = toolbox()[name]
    validator = jsonschema_rs.validator_for(spec.returns or {}, validate_formats=True)
    for arguments in drawn(name):
        result = make(name, arguments).result
        errors = [error.message for error in validator.iter_errors(result)]
        assert errors == [], (arguments, result)


# -- every phrase can be used ------------------------------------------------------------------------------------------


def sayable(value: Any) -> bool:
    return value is not None and not isinstance(value, bool)


def has_all(needs: frozenset[str], arguments: dict[str, Any], given: frozenset[str] = frozenset()) -> bool:
    """Whether arguments have a sayable value for every slot of a phrase that nothing else gives."""
    for slot in needs - given:
        try:
            value = resolve(arguments, slot)
        except LookupError:
            return False
        if not sayable(value):
            return False
    return True


def texts_of(text: str) -> list[str]:
    """The words of a phrase that stand in whatever it says."""
    return [part for part in re.split(r"\{[^}]*\}", text) if re.search(r"[a-z]{2}", part)]


def shows(phrase: str, message: str) -> bool:
    """Whether a message holds the words of a phrase ("a" may have become "an", "on" may have gone)."""
    wanted = [re.escape(re.sub(r"\b(a|on|at)$", "", part.strip()).strip()) for part in texts_of(phrase)]
    return bool(re.search(".*?".join(wanted), message, re.IGNORECASE | re.DOTALL))


@every_tool
@pytest.mark.parametrize("key", ["request", "question", "want"])
def test_every_way_to_ask_is_used(name: str, key: str):
    spec = toolbox()[name]
    for phrase in getattr(spec.phrases, key):
        needs = parse_template(phrase).needs
        fitting = [arguments for arguments in drawn(name) if has_all(needs, arguments)]
        assert fitting, f"no arguments have all of {phrase!r}"
        alone = {"request": (), "question": (), "want": (), key: (phrase,)}
        only = msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, **alone))
        books = compile_books({name: only})
        said = [say(make(name, arguments, only), books, number) for number, arguments in enumerate(fitting[:3])]
        for seed in range(12):  # another kind of phrase (the tool's name) may be chosen beside a question
            if any(shows(phrase, one.user) for one in said):
                break
            said.append(say(make(name, fitting[0], only), books, seed + 10))
        assert any(shows(phrase, one.user) for one in said), phrase
        assert [one.faults for one in said if one.faults] == []


@every_tool
def test_every_frame_is_used(name: str):
    """Also clauses: for every value that has one."""
    spec = toolbox()[name]
    for slot, frames in spec.phrases.slots.items():
        if "*" in slot:
            continue
        for frame in frames.frames:
            needs = parse_template(frame).needs
            assert any(has_all(needs, arguments) for arguments in drawn(name)), f"no arguments have all of {frame!r}"
        for value, texts in frames.clauses:
            place = [a for a in drawn(name) if has_value(a, slot, value)]
            assert place, f"{slot} is never {value!r}"
            bare = msgspec.structs.replace(spec.phrases, request=("do it",), question=(), want=())
            only = msgspec.structs.replace(spec, phrases=bare)
            said = [say(make(name, a, only), seed=n) for n, a in enumerate(place[:3])]
            assert any(text in one.user for one in said for text in texts), (slot, value)


def has_value(arguments: dict[str, Any], slot: str, value: Any) -> bool:
    try:
        found = resolve(arguments, slot)
    except LookupError:
        return False
    return bool(found == value) and type(found) is type(value)


@every_tool
def test_every_argument_has_words(name: str):
    """It stands in a frame, or in every way to ask."""
    spec = toolbox()[name]
    framed = {slot for slot, frames in spec.phrases.slots.items()}
    linked = {link.argument for link in spec.links}
    for arguments in drawn(name):
        for pointer, _ in leaves(arguments):
            slot = "/".join("*" if step.isdecimal() else step for step in split(pointer))
            schema = schema_at(spec.tool.parameters, slot) or {}
            if "const" in schema or len(schema.get("enum", (1, 2))) == 1 or slot in linked:
                continue
            parents = ["/".join(slot.split("/")[:end]) for end in range(1, len(slot.split("/")) + 1)]
            heads = [*spec.phrases.request, *spec.phrases.question, *spec.phrases.want]
            assert framed & set(parents) or all(parse_template(head).needs & set(parents) for head in heads), slot


@every_tool
def test_every_enum_value_has_words(name: str):
    spec = toolbox()[name]
    for place, schema in schemas(spec.tool.parameters):
        if "*" in place or place.startswith("/$defs"):
            continue
        slot = place.removeprefix("/")
        for value in schema.get("enum", ()):
            example = next((a for a in drawn(name) if has_value(a, slot, value)), None)
            assert example is not None, f"{slot} is never {value!r}"
            said = say(make(name, example), seed=value)
            assert said.faults == []
            assert "json" not in said.verbalizers


@every_tool
@pytest.mark.parametrize("key", ["again", "entry"])
def test_every_short_form_is_used(name: str, key: str):
    spec = toolbox()[name]
    for phrase in getattr(spec.phrases, key):
        needs = parse_template(phrase).needs
        assert needs, f"{phrase!r} says nothing of what differs"
        fitting = [arguments for arguments in drawn(name) if has_all(needs, arguments)]
        assert fitting, f"no arguments have all of {phrase!r}"
    assert bool(spec.phrases.several) == bool(spec.phrases.entry)
    required = (spec.tool.parameters or {}).get("required", ())
    assert all(slot in (spec.tool.parameters or {}).get("properties", {}) for slot in spec.phrases.vary), required


@every_tool
def test_every_follow_up_is_used(name: str):
    spec = toolbox()[name]
    if not spec.links:
        return
    linked = frozenset(link.argument for link in spec.links)
    for phrase in spec.phrases.follow_up:
        needs = parse_template(phrase).needs
        assert needs & linked, f"{phrase!r} does not name what an earlier result gives"
        assert any(has_all(needs, arguments, linked) for arguments in drawn(name)), phrase
    for link in {link.argument: link for link in spec.links}.values():
        said = [follow(spec, link.argument, reference, n) for n, reference in enumerate(("it", "the cheapest one", "each of them"))]
        assert [one for one in said if one is not None and one.faults] == []


def follow(spec: ToolSpec, argument: str, reference: str, seed: int) -> Said | None:
    """The tool called with a value that an earlier result gives."""
    link = next(link for link in spec.links if link.argument == argument)
    source = toolbox()[link.tool]
    if link.argument.count("*") or (schema_at(spec.tool.parameters, argument) or {}).get("type") == "array":
        return None
    for arguments in drawn(source.name):
        first = make(source.name, arguments)
        pointer = "/" + link.result.replace("*", "0")
        try:
            value = resolve(first.result, pointer)
        except LookupError:
            continue
        for own in drawn(spec.name):
            try:
                resolve(own, argument)
            except LookupError:
                continue
            own = msgspec.json.decode(msgspec.json.encode(own))
            *parents, last = split(argument)
            inside = own
            for parent in parents:
                inside = inside[parent]
            inside[last] = value
            by = "each" if reference == "each of them" else "first"
            pick = Pick(reference, by) if "*" in link.result else None
            bound = Bound(argument=argument, call_id=first.call.id, pointer=pointer, pick=pick)
            second = make(spec.name, own, bound=(bound,))
            second = msgspec.structs.replace(second, call=msgspec.structs.replace(second.call, id="call00001"))
            return say(second, seed=seed, earlier=first)
    return None


@every_tool
def test_every_answer_is_used(name: str):
    spec = toolbox()[name]
    calls = [make(name, arguments) for arguments in (*drawn(name), *drawn(name, 60, 0.2))]
    for answer in spec.phrases.answer:
        alone = msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, answer=(answer,)))
        books = compile_books({name: alone})
        fitting = [call for call in calls if fits_answer(answer, call)]
        assert fitting, f"no result has all of {answer.say!r}"
        said = [say(msgspec.structs.replace(call, spec=alone), books, n) for n, call in enumerate(fitting[:3])]
        assert all(shows(answer.say, one.answer) for one in said), (answer.say, [one.answer for one in said])
        assert [one.faults for one in said if one.faults] == []


def fits_answer(answer: Any, call: FilledCall) -> bool:
    template = parse_template(answer.say, "result")
    for source, needs in ((call.result, template.needs), (call.call.arguments, template.arguments)):
        for slot in needs:
            try:
                value = source if slot == "." else resolve(source, slot)
            except LookupError:
                return False
            if value is None or value == []:
                return False
    return all(has_value(call.result, slot, value) for slot, value in answer.when)


@every_tool
def test_every_way_to_tell_an_element_is_used(name: str):
    spec = toolbox()[name]
    for slot, texts in spec.phrases.each.items():
        elements = [
            element
            for arguments in drawn(name)
            for element in (list_at(make(name, arguments).result, slot))
        ]
        assert any(f"{{{slot}}}" in answer.say for answer in spec.phrases.answer) or any(slot in a.say for a in spec.phrases.answer)
        for text in texts:
            needs = parse_template(text, "result").needs - {"."}
            assert any(has_element(element, needs) for element in elements), f"no element of {slot} has all of {text!r}"


def list_at(result: Any, slot: str) -> list[Any]:
    try:
        found = resolve(result, slot)
    except LookupError:
        return []
    return found if isinstance(found, list) else []


def has_element(element: Any, needs: frozenset[str]) -> bool:
    try:
        return all(resolve(element, slot) is not None for slot in needs)
    except LookupError:
        return False


@every_tool
def test_every_pick_singles_out(name: str):
    """At least now and then, one element is the only cheapest one."""
    spec = toolbox()[name]
    for slot, picks in spec.phrases.pick.items():
        lists = [found for arguments in drawn(name) if len(found := list_at(make(name, arguments).result, slot)) > 1]
        assert lists, f"{slot} never has two elements"
        for pick in picks:
            extreme, _, field = pick.by.partition(" ")
            if not field:
                continue
            values = [[resolve(element, field) for element in found] for found in lists]
            singled = [column for column in values if column.count(min(column) if extreme == "min" else max(column)) == 1]
            assert len(singled) >= len(lists) / 3, (slot, pick)
        said = Counter(pick.say for pick in picks)
        assert said.most_common(1)[0][1] == 1


def test_phrases_have_no_keys_that_were_forgotten_here():
    assert set(Phrases.__struct_fields__) == {
        *("request", "question", "want", "again", "several", "entry", "vary", "follow_up"),
        *("slots", "synonyms", "pick", "answer", "each"),
    }
    assert set(SlotFrames.__struct_fields__) == {"frames", "clauses"}
