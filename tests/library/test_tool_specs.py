"""The tools that are shipped: complete, usable in every phrase, and a pleasure to read."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec
import pytest
from generator.run.calls import CannotFill, carry_out
from generator.scenarios.base import EACH, Edge
from generator.validation.proof.check_proof import check_proof
from workbench import TODAY, TOOL_SPECS, filled, recipe

from generator.arguments import compile_source
from generator.planning import Binding, FilledCall, FilledStep, Plan, PlannedCall, Step, Story, Turn
from generator.pointers import leaves, put, resolve, schema_at, split, variants
from generator.recipe import Arguments
from generator.run.row import Workshop, prepare
from generator.scenarios.chains import dependent_call
from generator.seeds import Draw, stream_seed
from generator.specs import load_toolbox
from generator.templates import parse_template
from generator.toolbox import Phrases, SlotFrames, Toolbox, ToolSpec
from generator.wording import compile_books, word

FILES = sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".yaml", ".yml", ".json", ".jsonl"})


def toolbox() -> Toolbox:
    """All tools by name."""
    return shop().toolbox


@cache
def shop() -> Workshop:
    return prepare(recipe(FILES, "single"))


def tools_of(domain: str) -> list[ToolSpec]:
    """The tools of one file."""
    return [spec for spec in toolbox().values() if spec.domain == domain]


def nothing(faults: Iterable[Any]) -> None:
    """Fail with one fault a line."""
    found = list(dict.fromkeys(map(str, faults)))
    assert not found, "\n".join([f"{len(found)} faults", *found[:40]])


every_domain = pytest.mark.parametrize("domain", [path.stem for path in FILES])
"""Tests run once for each file and name all of its tools that are at fault."""


def schemas(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with its place."""
    if isinstance(schema, dict):
        yield place, schema
        for keyword, below in (("properties", ""), ("$defs", "/$defs")):
            for key, part in schema.get(keyword, {}).items():
                yield from schemas(part, f"{place}{below}/{key}")
        for keyword in ("items", "additionalProperties"):
            yield from schemas(schema.get(keyword), f"{place}/*")
        for keyword in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(keyword, ()):
                yield from schemas(part, place)


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
    "anyOf": lambda s: "anyOf" in s,
    "oneOf": lambda s: "oneOf" in s,
    "$ref": lambda s: "$ref" in s,
    "closed object": lambda s: s.get("additionalProperties") is False,
}


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

    @pytest.mark.parametrize("kind", KINDS)
    def test_has_parameters_of_every_kind(self, kind: str):
        found = {
            name
            for name, spec in toolbox().items()
            for place, schema in schemas(spec.tool.parameters)
            if (place or kind in {"closed object"}) and KINDS[kind](schema)
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


@every_domain
class TestEachTool:
    def test_is_described_with_all_its_parameters(self, domain: str):
        faults = []
        for spec in tools_of(domain):
            description, root = spec.tool.description or "", spec.tool.parameters or {}
            if not (re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", spec.name) and description[-1:] == "." and len(description) > 15):
                faults.append(f"{spec.name}: {description}")
            if root.get("type") != "object" or not set(root.get("required", ())) <= set(root.get("properties", ())):
                faults.append(f"{spec.name}: {list(root)}")
            for key, part in root.get("properties", {}).items():
                if not any(len(str(schema.get("description", ""))) >= 3 for schema in (part, *variants(root, part))):
                    faults.append(f"{spec.name}: {key} has no description")
        nothing(faults)

    def test_says_what_it_returns(self, domain: str):
        assert [spec.name for spec in tools_of(domain) if not (spec.returns or {}).get("properties")] == []

    def test_has_phrases(self, domain: str):
        faults = []
        for spec in tools_of(domain):
            phrases = spec.phrases
            ways = len(phrases.request) + len(phrases.question) + len(phrases.want)
            if len(phrases.request) < 3 or ways < 6 or len(phrases.answer) < 3 or (spec.links and not phrases.follow_up):
                faults.append(f"{spec.name}: too few phrases")
            if bool(phrases.several) != bool(phrases.entry):
                faults.append(f"{spec.name}: several and entry belong together")
            for texts in (phrases.request, phrases.question, phrases.want, phrases.follow_up, phrases.again, phrases.entry):
                faults += [f"{spec.name}: {text!r} stands there twice" for text, n in Counter(texts).items() if n > 1]
        nothing(faults)


# -- what is said of each tool ---------------------------------------------------------------------------------------


class Said(NamedTuple):
    user: str
    answer: str
    masked: tuple[str, str]
    """The same, with ◆ for every claimed value."""
    spans: tuple[tuple[str, str], ...]
    """(verbalizer, words) of every claimed value."""
    faults: list[str]


@cache
def drawn(name: str) -> tuple[dict[str, Any], ...]:
    """Sixty sets of arguments for a tool; what is optional comes and goes."""
    source = compile_source(toolbox()[name], Arguments(optional=0.6), 1)
    return tuple(source(Draw(stream_seed("library", name, n), TODAY)) for n in range(60))


def make(name: str, arguments: dict[str, Any], spec: ToolSpec | None = None) -> FilledCall:
    result = shop().backend.open(TODAY).answer(name, arguments)
    return filled(spec or toolbox()[name], arguments, result)


def say(call: FilledCall, books: Any = None, seed: object = 0) -> Said:
    """The words for one call, and what is wrong with them."""
    books = books or shop().books
    return tell((FilledStep(calls=(call,)),), books, Draw(stream_seed("say", seed), TODAY))


def tell(steps: tuple[FilledStep, ...], books: Any, draw: Draw) -> Said:
    """The words for the steps of a turn, and what is wrong with them."""
    tools = {call.spec.name: call.spec for step in steps for call in step.calls}
    story = Story(
        scenario="single",
        turns=(steps,),
        offered=tuple(spec.tool for spec in tools.values()),
        today=TODAY,
        system=f"Today is {TODAY}.",
        knows_today=True,
    )
    talk, proof = word(story, books, draw)
    user, answer = talk.messages[1].content or "", talk.messages[-1].content or ""
    faults = [f"{fault.rule} {fault.path}: {fault.message}" for fault in check_proof(talk, proof, tools)]
    spans = [[(c.start, c.end) for c in claims] for claims in ([c for c in proof.arguments if c.source == "user"], proof.answers)]
    texts = [(str(c.verbalizer), user[c.start : c.end]) for c in proof.arguments if c.source == "user"]
    texts += [(c.verbalizer, answer[c.start : c.end]) for c in proof.answers]
    return Said(user, answer, (mask(user, spans[0]), mask(answer, spans[1])), tuple(texts), faults)


def mask(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with every span as one sign, so that only what the phrases say is left."""
    for start, end in sorted(set(spans), reverse=True):
        text = text[:start] + ("◆." if text[start:end].endswith(".") else "◆") + text[end:]
    return text


@cache
def spoken(name: str) -> tuple[Said, ...]:
    """Thirty requests for a tool, with their answers."""
    return tuple(say(make(name, arguments), seed=(name, n)) for n, arguments in enumerate(drawn(name)[:30]))


UGLY = {
    "two spaces": r"  ",
    "space before a stop": r" [,.;:?!]",
    "stops in a row": r"[,;:]\s*[,.;:?!]|[.?!][,.;:]|\.\.|\?\?|!!|\.[?!]",
    "braces": r"[{}]",
    "a word twice": r"\b([A-Za-z]+) \1\b",
    "a before a": r"\b[Aa]n? (a|an|the|this|any|one)\b",
    "no space after a stop": r"[,;?!][A-Za-z]|(?<!\.[a-z])(?<!\d)[.][A-Z][a-z]",
    "a space at an end": r"^\s|\s$",
    "a number word before a sign": r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) x\b",
}
UNMASKED = {"braces", "a number word before a sign"}
"""What is looked for in the whole text; the others only in what the phrases say."""


def has_json(said: Said) -> bool:
    """Whether a value is said with the signs of JSON (a number in JSON is a number)."""
    return any(verbalizer == "json" and re.search(r"[\[{\"]|null|true|false", text) for verbalizer, text in said.spans)


@every_domain
class TestWhatIsSaid:
    def test_is_proven(self, domain: str):
        nothing((s.user, s.answer, s.faults) for spec in tools_of(domain) for s in spoken(spec.name) if s.faults)

    @pytest.mark.parametrize("what", UGLY)
    def test_reads_well(self, domain: str, what: str):
        found = {
            f"{spec.name}: {text}"
            for spec in tools_of(domain)
            for said in spoken(spec.name)
            for text, masked in zip((said.user, said.answer), said.masked, strict=True)
            if re.search(UGLY[what], text if what in UNMASKED else masked)
        }
        nothing(sorted(found))

    def test_begins_with_a_capital_and_ends_with_a_stop(self, domain: str):
        found = [
            text
            for spec in tools_of(domain)
            for said in spoken(spec.name)
            for text, masked in zip((said.user, said.answer), said.masked, strict=True)
            if not (masked[0] in "◆-" or text[0].isupper())
            or not (text[-1] in '.?!"”)' or "\n- " in text or "\n1. " in text)
            or re.search(r"(?<!◆)[.?!] [a-z]", masked)
        ]
        nothing(found)

    def test_needs_no_json(self, domain: str):
        """Every argument has words of its own, and so has what the answers tell."""
        said = [said for spec in tools_of(domain) for said in spoken(spec.name)]
        nothing((one.user, one.answer) for one in said if has_json(one))

    def test_is_varied(self, domain: str):
        for part, least in ((0, 8), (1, 2)):
            kinds = {spec.name: {said.masked[part] for said in spoken(spec.name)} for spec in tools_of(domain)}
            assert {name: texts for name, texts in kinds.items() if len(texts) < least} == {}

    def test_answers_with_a_phrase(self, domain: str):
        """Not with the names and values of whatever the result holds."""
        assert [
            said.answer
            for spec in tools_of(domain)
            for said in spoken(spec.name)
            if said.answer.startswith(f"{spec.name.replace('_', ' ').capitalize()}: ")
        ] == []


@every_domain
def test_results_are_valid(domain: str):
    faults = []
    for spec in tools_of(domain):
        validator = jsonschema_rs.validator_for(loosened(spec.returns or {}), validate_formats=True)
        for arguments in drawn(spec.name):
            result = make(spec.name, arguments).result
            faults += [f"{spec.name} {arguments}: {error.message}" for error in validator.iter_errors(result)]
    nothing(faults)


def loosened(schema: Any) -> Any:
    """The schema without the ranges that a formula or an argument of the call may overrule."""
    if isinstance(schema, list):
        return [loosened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    overruled = {"x-compute", "x-minimum", "x-maximum"} & schema.keys()
    ranges = {"minimum", "maximum", "multipleOf", "pattern", "minItems"} if overruled else set()
    return {key: loosened(part) for key, part in schema.items() if key not in ranges}


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


@every_domain
@pytest.mark.parametrize("key", ["request", "question", "want"])
def test_every_way_to_ask_is_used(domain: str, key: str):
    faults = []
    for spec in tools_of(domain):
        for phrase in getattr(spec.phrases, key):
            needs = parse_template(phrase).needs
            fitting = [arguments for arguments in drawn(spec.name) if has_all(needs, arguments)]
            if not fitting:
                faults.append(f"{spec.name}: no arguments have all of {phrase!r}")
                continue
            alone = {"request": (), "question": (), "want": (), key: (phrase,)}
            only = msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, **alone))
            books = compile_books({spec.name: only})
            # beside a question the name of the tool is a way to ask, so it may take some tries
            tries = (say(make(spec.name, fitting[n % len(fitting)], only), books, n) for n in range(15))
            said = next((one for one in tries if shows(phrase, one.user)), None)
            if said is None or said.faults:
                faults.append(f"{spec.name}: {phrase!r}: {said}")
    nothing(faults)


@every_domain
def test_every_frame_and_clause_is_used(domain: str):
    faults = []
    for spec in tools_of(domain):
        bare = msgspec.structs.replace(spec.phrases, request=("do it",), question=(), want=())
        only = msgspec.structs.replace(spec, phrases=bare)
        books = compile_books({spec.name: only})
        for slot, frames in spec.phrases.slots.items():
            if "*" in slot:
                continue
            for frame in frames.frames:
                if not any(has_all(parse_template(frame).needs, arguments) for arguments in drawn(spec.name)):
                    faults.append(f"{spec.name}: no arguments have all of {frame!r}")
            for value, texts in frames.clauses:
                fitting = [arguments for arguments in drawn(spec.name) if has_value(arguments, slot, value)]
                said = [say(make(spec.name, arguments, only), books, n).user for n, arguments in enumerate(fitting[:3])]
                if not any(text in user for user in said for text in texts):
                    faults.append(f"{spec.name}: {slot} is never {value!r}: {said}")
    nothing(faults)


def has_value(arguments: dict[str, Any], slot: str, value: Any) -> bool:
    try:
        found = resolve(arguments, slot)
    except LookupError:
        return False
    return bool(found == value) and type(found) is type(value)


@every_domain
def test_every_argument_has_words(domain: str):
    """It stands in a frame, or in every way to ask."""
    faults = set()
    for spec in tools_of(domain):
        given = {link.argument for link in spec.links}
        heads = [parse_template(text).needs for text in (*spec.phrases.request, *spec.phrases.question, *spec.phrases.want)]
        for arguments in drawn(spec.name):
            for pointer, _ in leaves(arguments) if arguments else ():
                slot = "/".join("*" if step.isdecimal() else step for step in split(pointer))
                schema = schema_at(spec.tool.parameters, slot) or {}
                parents = {"/".join(slot.split("/")[:end]) for end in range(1, len(slot.split("/")) + 1)}
                fixed = "const" in schema or len(schema.get("enum", (1, 2))) == 1
                if not (fixed or slot in given or parents & set(spec.phrases.slots) or all(parents & head for head in heads)):
                    faults.add(f"{spec.name}: {slot}")
    nothing(sorted(faults))


@every_domain
def test_every_enum_value_has_words(domain: str):
    faults = []
    for spec in tools_of(domain):
        for place, schema in schemas(spec.tool.parameters):
            slot = place.removeprefix("/")
            for value in schema.get("enum", ()) if "*" not in place and "/$defs" not in place else ():
                example = with_value(spec, slot, value)
                said = say(make(spec.name, example), seed=value) if example is not None else None
                if said is None or said.faults or has_json(said):
                    faults.append(f"{spec.name}: {slot} {value!r}: {said}")
    nothing(faults)


def with_value(spec: ToolSpec, slot: str, value: Any) -> dict[str, Any] | None:
    """Valid arguments with this value."""
    is_valid = jsonschema_rs.validator_for(spec.tool.parameters or {}, validate_formats=True).is_valid
    for arguments in drawn(spec.name):
        own = msgspec.json.decode(msgspec.json.encode(arguments))
        try:
            put(own, slot, value)
        except LookupError:  # its parent is not given
            continue
        if is_valid(own):
            return dict(own)
    return None


@every_domain
def test_every_short_form_is_used(domain: str):
    faults = []
    for spec in tools_of(domain):
        for phrase in (*spec.phrases.again, *spec.phrases.entry):
            needs = parse_template(phrase).needs
            if not needs or not any(has_all(needs, arguments) for arguments in drawn(spec.name)):
                faults.append(f"{spec.name}: {phrase!r}")
        top = (spec.tool.parameters or {}).get("properties", {})
        faults += [f"{spec.name}: vary {slot}" for slot in spec.phrases.vary if slot not in top]
    nothing(faults)


@every_domain
def test_every_follow_up_is_used(domain: str):
    faults = []
    for spec in tools_of(domain):
        linked = frozenset(link.argument for link in spec.links)
        for phrase in spec.phrases.follow_up if linked else ():
            needs = parse_template(phrase).needs
            if not needs & linked or not any(has_all(needs, arguments, linked) for arguments in drawn(spec.name)):
                faults.append(f"{spec.name}: {phrase!r}")
    nothing(faults)


@every_domain
@pytest.mark.parametrize("each", [False, True])
def test_every_link_makes_a_chain(domain: str, each: bool):
    """The user names what a list holds, and the next call takes it from there."""
    faults = []
    for edge in shop().scene.edges:
        if edge.target in {spec.name for spec in tools_of(domain)} and (longest(edge) > 1 or not each):
            told = [said for seed in range(3) if (said := chained(edge, each, seed)) is not None]
            if not told:
                faults.append(f"{edge.source} → {edge.target}: never")
            faults += [f"{edge.source} → {edge.target}: {said}" for said in told if said.faults]
            for what, pattern in UGLY.items():
                texts = [said.user if what in UNMASKED else said.masked[0] for said in told]
                faults += [f"{edge.source} → {edge.target}: {what}: {text}" for text in texts if re.search(pattern, text)]
    nothing(faults)


def longest(edge: Edge) -> int:
    """How many elements the list has at most that the edge takes its value from."""
    if edge.list_slot is None:
        return 0
    return int((schema_at(toolbox()[edge.source].returns, edge.list_slot) or {}).get("maxItems", 3))


def chained(edge: Edge, each: bool, seed: int) -> Said | None:
    """A call and one that needs its result (or one for each of its elements); None when the luck forbids it."""
    draw = Draw(stream_seed("chain", edge.source, edge.target, edge.link.argument, seed), TODAY)
    every = Binding(argument=edge.link.argument, step=0, call=0, result=edge.link.result, picks=(EACH,))
    call = (
        PlannedCall(tool=edge.target, bindings=(every,), for_each=True)
        if each
        else dependent_call(shop().scene, {edge.source: (0, 0)}, edge, draw)
    )
    steps = (Step(calls=(PlannedCall(tool=edge.source),)), Step(calls=(call,)))
    try:
        (turn,) = carry_out(Plan(scenario="chain", turns=(Turn(steps=steps),)), shop(), draw, TODAY, seed)
    except CannotFill:
        return None
    return tell(turn, shop().books, draw)


@every_domain
def test_every_answer_is_used(domain: str):
    faults = []
    for spec in tools_of(domain):
        calls = [make(spec.name, arguments) for arguments in drawn(spec.name)]
        for answer in spec.phrases.answer:
            alone = msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, answer=(answer,)))
            call = next((call for call in calls if fits_answer(answer, call)), None)
            if call is None:
                faults.append(f"{spec.name}: no result has all of {answer.say!r}")
                continue
            said = say(msgspec.structs.replace(call, spec=alone), compile_books({spec.name: alone}), answer.say)
            if said.faults or not shows(answer.say, said.answer):
                faults.append(f"{spec.name}: {answer.say!r}: {said}")
    nothing(faults)


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


@every_domain
def test_every_way_to_tell_an_element_is_used(domain: str):
    faults = []
    for spec in tools_of(domain):
        for slot, texts in spec.phrases.each.items():
            if not any(slot in parse_template(answer.say, "result").needs for answer in spec.phrases.answer):
                faults.append(f"{spec.name}: no answer tells {slot}")
            elements = [e for arguments in drawn(spec.name) for e in list_at(make(spec.name, arguments).result, slot)]
            for text in texts:
                needs = parse_template(text, "result").needs - {"."}
                if not any(has_element(element, needs) for element in elements):
                    faults.append(f"{spec.name}: no element of {slot} has all of {text!r}")
    nothing(faults)


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


@every_domain
def test_every_pick_singles_out(domain: str):
    """Often enough, one element is the only cheapest one."""
    faults = []
    for spec in tools_of(domain):
        for slot, picks in spec.phrases.pick.items():
            found = [list_at(make(spec.name, arguments).result, slot) for arguments in drawn(spec.name)]
            lists = [elements for elements in found if len(elements) > 1]
            faults += [f"{spec.name}: {say!r} twice" for say, n in Counter(pick.say for pick in picks).items() if n > 1]
            for pick in picks:
                extreme, _, field = pick.by.partition(" ")
                columns = [[resolve(element, field) for element in elements] for elements in lists] if field else []
                singled = [c for c in columns if c.count(min(c) if extreme == "min" else max(c)) == 1]
                if len(singled) < len(columns) / 3:
                    faults.append(f"{spec.name}: {pick.by}: {len(singled)} of {len(columns)}")
    nothing(faults)


NAMES = {"name", "title", "subject", "doctor"}
"""What people call a thing."""


@every_domain
def test_answers_say_which_element_they_are_about(domain: str):
    """When a tool is called for each element of a list, every answer tells its element from the others."""
    faults = set()
    for spec in tools_of(domain):
        own = set((spec.returns or {}).get("properties", ()))
        for link in spec.links:
            element = schema_at(toolbox()[link.tool].returns, link.result.rpartition("/")[0]) or {}
            for answer in spec.phrases.answer if "/*" in link.result else ():
                template = parse_template(answer.say, "result")
                kept = {slot for slot, _ in answer.when}  # an answer for a certain name is for no element
                said = (template.needs | kept & NAMES) & own & set(element.get("properties", ()))
                if not (said & NAMES or len(said) > 1 or (template.needs | template.arguments) & {link.argument}):
                    faults.add(f"{spec.name} for each of {link.tool}: {answer.say!r}")
    nothing(sorted(faults))


PLACES = {
    "search_flights": "flights/0/distance_km",
    "search_trains": "trains/0/duration_minutes",
    "get_driving_time": "distance_km",
    "geocode_address": "latitude",
}
"""Tools whose results depend on places, with a number that does."""


@pytest.mark.parametrize("name", PLACES)
def test_places_stay_where_they_are(name: str):
    """The same places are as far apart whoever asks, and others are not."""
    found: dict[str, list[float]] = {}
    key = "city" if name == "geocode_address" else "destination"
    for number, arguments in enumerate(drawn(name)):
        where = {k: v for k, v in arguments.items() if k in {"origin", "destination", "city", "street", "date", "time"}}
        where["time"] = f"{6 + number % 5:02}:00" if "time" in where else None
        for salt in range(3):
            result = shop().backend.open(TODAY, salt).answer(name, {k: v for k, v in where.items() if v is not None})
            about = f"{arguments.get('origin')} {arguments[key]}"
            found.setdefault(about, []).append(resolve(result, PLACES[name]))
    spread = max(max(numbers) - min(numbers) for numbers in found.values())
    middle = [sum(numbers) / len(numbers) for numbers in found.values()]
    assert max(middle) - min(middle) > 3 * spread


def test_stations_near_each_other_have_the_same_weather():
    readings = [
        shop().backend.open(TODAY).answer("get_station_readings", {"station_id": f"STN-{number}"})
        for number in range(1000, 1040)
    ]
    temperatures = [reading["temperature"] for reading in readings]
    assert 0 < max(temperatures) - min(temperatures) < 3


def test_phrases_have_no_keys_that_were_forgotten_here():
    assert set(Phrases.__struct_fields__) == {
        *("request", "question", "want", "again", "several", "entry", "vary", "follow_up"),
        *("slots", "synonyms", "pick", "answer", "each"),
    }
    assert set(SlotFrames.__struct_fields__) == {"frames", "clauses"}
