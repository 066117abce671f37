"""Every phrase of the tools that are shipped can be used."""

import re
from collections import Counter
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from nightly import night
from shipped_tools import (
    TODAY,
    UGLY,
    UNMASKED,
    Said,
    drawn,
    every_domain,
    has_json,
    make,
    nothing,
    said_of,
    say,
    schemas,
    shop,
    succeeds,
    toolbox,
    tools_of,
)
from workbench import Filled, Told

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, EventLog, Meant, Note, Ref, Say, Step
from generator.core.pointers import leaves, resolve, schema_at, set_at, split
from generator.core.seeds import Draw, stream_seed
from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec
from generator.dialogue.acts import word
from generator.dialogue.acts.check import check_row
from generator.run.stages.conduct import conduct
from generator.scenarios.affordances.links import EACH, Edge
from generator.scenarios.scenario import Events, Scenario, serve, tell
from generator.scenarios.scene import Scene

pytestmark = night  # they read the data alone: .ci/run runs them when tool_specs/ changed


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
            # beside a question the name of the tool is a way to ask, so it may take some tries
            tries = (say(make(spec.name, fitting[n % len(fitting)], only), n) for n in range(15))
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
        for slot, frames in spec.phrases.slots.items():
            if "*" in slot:
                continue
            for frame in frames.frames:
                if not any(has_all(parse_template(frame).needs, arguments) for arguments in drawn(spec.name)):
                    faults.append(f"{spec.name}: no arguments have all of {frame!r}")
            for value, texts in frames.clauses:
                fitting = having(spec, slot, value)
                said = [say(make(spec.name, arguments, only), n).user for n, arguments in enumerate(fitting[:3])]
                if not any(text in user for user in said for text in texts):
                    faults.append(f"{spec.name}: {slot} is never {value!r}: {said}")
    nothing(faults)


def having(spec: ToolSpec, slot: str, value: Any) -> list[dict[str, Any]]:
    """Drawn arguments with a value; people seldom say no to an option, so it may have to be put in."""
    fitting = [arguments for arguments in drawn(spec.name) if has_value(arguments, slot, value)]
    if fitting:
        return fitting
    changed = [({**arguments, slot: value}, arguments) for arguments in drawn(spec.name)[:6]]
    return [own for own, like in changed if succeeds(spec.name, own, like)]


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
        heads = [
            parse_template(text).needs for text in (*spec.phrases.request, *spec.phrases.question, *spec.phrases.want)
        ]
        for arguments in drawn(spec.name):
            for pointer, _ in leaves(arguments) if arguments else ():
                slot = "/".join("*" if step.isdecimal() else step for step in split(pointer))
                schema = schema_at(spec.tool.parameters, slot) or {}
                parents = {"/".join(slot.split("/")[:end]) for end in range(1, len(slot.split("/")) + 1)}
                fixed = "const" in schema or len(schema.get("enum", (1, 2))) == 1
                if not (
                    fixed or slot in given or parents & set(spec.phrases.slots) or all(parents & head for head in heads)
                ):
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
            set_at(own, slot, value)
        except LookupError:  # its parent is not given
            continue
        if is_valid(own) and succeeds(spec.name, own, arguments):
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
        for phrase in spec.phrases.found:
            if not any(has_all(parse_template(phrase).needs, arguments) for arguments in drawn(spec.name)):
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
    for edge in shop().toolkit.edges:
        if edge.target in {spec.name for spec in tools_of(domain)} and (longest(edge) > 1 or not each):
            told = [said for seed in range(3) if (said := chained(edge, each, seed)) is not None]
            if not told:
                faults.append(f"{edge.source} → {edge.target}: never")
            faults += [f"{edge.source} → {edge.target}: {said}" for said in told if said.faults]
            for what, pattern in UGLY.items():
                texts = [said.user if what in UNMASKED else said.masked[0] for said in told]
                faults += [
                    f"{edge.source} → {edge.target}: {what}: {text}" for text in texts if re.search(pattern, text)
                ]
    nothing(faults)


def longest(edge: Edge) -> int:
    """How many elements the list has at most that the edge takes its value from."""
    if edge.list_slot is None:
        return 0
    return int((schema_at(toolbox()[edge.source].returns, edge.list_slot) or {}).get("maxItems", 3))


def chained(edge: Edge, each: bool, seed: int) -> Said | None:
    """A call and one that needs its result (or one for each of its elements); None when the luck forbids it."""

    def events(scene: Scene) -> Events:
        every = Meant(Ref(HERE, 0, edge.link.result), (EACH,))
        first = scene.wish(edge.source, edge.target, fewest=2)
        second = (
            scene.wish_with(edge.target, {edge.link.argument: every}, for_each=True)
            if each
            else scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")})
        )
        asked = yield Say(wishes=(first, second))
        found = yield Step(calls=(serve(asked, 0),))
        done = yield Step(calls=(serve(asked, 1, found),))
        yield tell(done)

    draw = Draw(stream_seed("chain", edge.source, edge.target, edge.link.argument, seed), TODAY)
    scene = Scene(toolkit=shop().toolkit, draw=draw, arguments=shop().sources)
    scenario = Scenario("chain", "", lambda toolkit: (), events, ())
    try:
        with shop().backend.open(TODAY, seed) as world:
            done = conduct(scenario, scene, world, Note(id=0, text=f"Today is {TODAY}.", states_today=True))
    except CannotFillError:
        return None
    tools = {name: toolbox()[name] for name in (edge.source, edge.target)}
    talk, proof = word(
        EventLog(events=done, offered=tuple(spec.tool for spec in tools.values())), shop().phrases, draw, TODAY
    )
    user, answer = talk.messages[1].content or "", talk.messages[-1].content or ""
    return said_of(Told(user, answer, talk, proof, check_row(talk, proof, tools)))


@every_domain
def test_every_answer_is_used(domain: str):
    faults = []
    for spec in tools_of(domain):
        calls = [make(spec.name, arguments) for arguments in drawn(spec.name)]
        for answer in spec.phrases.answer:
            alone = msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, answer=(answer,)))
            call = next((call for call in calls if fits_answer(answer, call)), None)
            if call is None and any(value is None for _, value in answer.when):
                continue  # only what a call of the same conversation has made can lack a field
            if call is None:
                faults.append(f"{spec.name}: no result has all of {answer.say!r}")
                continue
            # most lists are told in lines, some things field by field, so it may take some tries
            told = call._replace(spec=alone)
            tries = (say(told, (answer.say, n)) for n in range(40))
            said = next((one for one in tries if one.faults or shows(answer.say, one.answer)), None)
            if said is None or said.faults:
                faults.append(f"{spec.name}: {answer.say!r}: {said}")
    nothing(faults)


def fits_answer(answer: Any, call: Filled) -> bool:
    template = parse_template(answer.say, "result")
    for source, needs in ((call.result, template.needs), (call.call.arguments, template.arguments)):
        for slot in needs:
            try:
                value = source if slot == "." else resolve(source, slot)
            except LookupError:
                return False
            if value is None or value == []:
                return False
    effect = call.spec.effect
    if effect is not None and effect.limit and f"{{{effect.at}#" in answer.say:
        most = call.call.arguments.get(str(effect.limit), effect.limit)
        if len(call.result[effect.at]) == most:  # it may be a part of all there is
            return False
    told = {"args": call.call.arguments}
    return all(
        has_value(told if slot.startswith("args.") else call.result, slot.replace("args.", "args/"), value)
        for slot, value in answer.when
    )


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
