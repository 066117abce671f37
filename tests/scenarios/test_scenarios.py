"""Conversation shapes: events that have them, tools that cannot serve them, and rows that have lost them."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import yaml
from changed_rows import BARE
from workbench import CONVERSATIONS, SHOP, TODAY, TOOL_SPECS, WITH_ENTITIES, recipe, rows, workshop, write_tools

from generator.conversation import AssistantMessage, Claim, Conversation, Proof, ToolCall, ToolMessage, UserMessage
from generator.errors import CannotFillError, PlanError
from generator.planning import Ask, Event, Meant, Note, Ref, Say, Step, Tell
from generator.pointers import expand, resolve
from generator.run.conduct import conduct
from generator.run.row import MadeRow, PreparedRecipe, prepare
from generator.scenarios import SCENARIOS, Scene, Toolkit
from generator.scenarios.shape import ConversationShape, ShapedCall, conversation_shape
from generator.seeds import Draw, stream_seed
from generator.validation.schemas import compiled

ALL = (*CONVERSATIONS, *WITH_ENTITIES)
NOTHING_THERE = {("bare", "mixed"), ("bare", "conditional"), *[(which, one) for which in ("small", "bare") for one in WITH_ENTITIES]}
"""Tools that a scenario cannot do with."""
CHAINS = ("sequential", "fan_out", "mixed")
TURNS = ("follow_up", "clarify")


@pytest.fixture(scope="module")
def shops(tmp_path_factory) -> dict[str, PreparedRecipe]:
    """A small toolbox, everything that is shipped, and tools without phrases."""
    folder = tmp_path_factory.mktemp("scenarios")
    files = {
        "small": [write_tools(folder)],
        "shipped": sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".json", ".yaml"}),
        "bare": [write_tools(folder, BARE, "bare.yaml")],
    }
    return {
        name: prepare(recipe(tools, *[one for one in ALL if (name, one) not in NOTHING_THERE], calls=(2, 4), steps=(2, 4)))
        for name, tools in files.items()
    }


class Played(NamedTuple):
    """A conversation without words."""

    events: tuple[Event, ...]
    toolkit: Toolkit

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def widths(self) -> list[int]:
        return [len(step.calls) for step in self.of(Step)]

    @property
    def tools(self) -> list[list[str]]:
        return [[call.tool for call in step.calls] for step in self.of(Step)]


def play(shop: PreparedRecipe, scenario: str, count: int = 100) -> list[Played]:
    """Conversations, without those for which the drawn values did not do."""
    found = []
    for number in range(count):
        scene = Scene(toolkit=shop.toolkit, draw=Draw(stream_seed(scenario, number), TODAY), arguments=shop.sources)
        try:
            events = conduct(SCENARIOS[scenario], scene, shop.backend.open(TODAY, number), None)
        except CannotFillError:
            continue
        found.append(Played(events, shop.toolkit))
    assert len(found) > 0.5 * count
    return found


@pytest.fixture(scope="module")
def played(shops) -> Callable[[str, str], list[Played]]:
    return cache(lambda which, scenario: play(shops[which], scenario))


WHICH = [(which, scenario) for which in ("small", "shipped", "bare") for scenario in ALL if (which, scenario) not in NOTHING_THERE]


@pytest.mark.parametrize(("which", "scenario"), WHICH)
class TestEvents:
    """What holds for every scenario, with whatever tools."""

    def test_call_the_scenarios_tools_and_no_others(self, played, which: str, scenario: str):
        found = played(which, scenario)
        allowed = set(SCENARIOS[scenario].tools(found[0].toolkit))
        called = {name for one in found for step in one.tools for name in step}
        assert called <= allowed
        assert len(called) > 0.5 * min(len(allowed), 8)

    def test_are_the_same_from_the_same_stream_and_differ_from_others(self, shops, which: str, scenario: str):
        first, again = play(shops[which], scenario, 20), play(shops[which], scenario, 20)
        assert [one.events for one in first] == [one.events for one in again]
        assert len({msgspec.json.encode([event for event in one.events if isinstance(event, Step)]) for one in first}) > 8

    def test_begin_with_the_user_and_end_with_a_report(self, played, which: str, scenario: str):
        for one in played(which, scenario):
            assert isinstance(next(event for event in one.events if not isinstance(event, Note)), Say)
            assert isinstance(one.events[-1], Tell)
            assert [event.id for event in one.events] == list(range(len(one.events)))

    def test_serve_every_wish_once_and_report_only_what_was_done(self, played, which: str, scenario: str):
        for one in played(which, scenario):
            unserved = {tell.wish for tell in one.of(Tell) if tell.how == "not_done"}
            wishes = {(say.id, n) for say in one.of(Say) if say.to is None for n in range(len(say.wishes))} - unserved
            served = [call.serves for step in one.of(Step) for call in step.calls if call.mends is None]
            many = {place for place in wishes if one.events[place[0]].wishes[place[1]].for_each}
            assert set(served) == wishes
            assert all(served.count(place) == 1 for place in wishes - many)
            assert all(served.count(place) > 1 for place in many)
            for tell in one.of(Tell):
                assert tell.about or tell.wish
                assert all(step < tell.id and place < len(one.events[step].calls) for step, place in tell.about)

    def test_take_only_what_was_said_or_found_before(self, played, which: str, scenario: str):
        for one in played(which, scenario):
            for step in one.of(Step):
                for call, made in zip(step.calls, step.made, strict=True):
                    links = one.toolkit.toolbox[call.tool].links
                    for slot, ref in call.args.items():
                        assert ref.event < step.id
                        is_linked = slot in {link.argument for link in links} and ref.calc is None and scenario != "correct"
                        if isinstance(one.events[ref.event], Step) and (is_linked or scenario not in ("compute", "correct", "join", "multi_turn")):
                            source = one.events[ref.event].calls[ref.of].tool
                            pattern = "/".join("*" if part.isdecimal() else part for part in ref.at.split("/"))
                            assert (slot, source, pattern) in {(link.argument, link.tool, link.result) for link in links}
                            is_only = len(expand(one.events[ref.event].outcomes[ref.of].value, pattern)) == 1
                            assert (ref.pick is not None) == ("*" in pattern) or is_only
                    if call.wrong is None:
                        assert {slot.split("/")[0] for slot in call.args} == set(made.arguments)

    def test_people_do_not_ask_with_an_identifier(self, played, which: str, scenario: str):
        """A required argument that only another tool's result holds is never said."""
        for one in played(which, scenario):
            for say in one.of(Say):
                for wish in say.wishes:
                    spec = one.toolkit.toolbox[wish.tool]
                    required = (spec.tool.parameters or {}).get("required", ())
                    known = {*spec.examples, *spec.kinds}
                    loaded = [link for link in spec.links if link.tool in one.toolkit.toolbox and link.argument not in known]
                    hidden = {link.argument for link in loaded if link.argument.split("/")[0] in required}
                    assert not hidden & set(wish.said), wish.tool


class TestWithMoreTools:
    def test_compute(self, played):
        """What is done to the value of the result gives the argument, to the cent and to the day."""
        seen = set()
        for one in played("shipped", "compute"):
            done = one.of(Step)[-1]
            ((slot, ref),) = [(slot, ref) for slot, ref in done.calls[0].args.items() if getattr(ref, "calc", None)]
            taken, value = resolve(one.events[ref.event].outcomes[ref.of].value, ref.at), done.made[0].arguments[slot]
            op, by = ref.calc.op, ref.calc.by or 0
            if op.startswith("days"):
                assert date.fromisoformat(taken) + timedelta(days=int(op.split()[1])) == date.fromisoformat(value)
            else:
                other = 0 if ref.calc.also is None else resolve(one.events[ref.calc.also.event].outcomes[ref.calc.also.of].value, ref.at)
                wanted = {"sum": taken + other, "difference": abs(taken - other), "half": taken / 2, "third": taken / 3, "quarter": taken / 4, "double": taken * 2, "plus": taken + by, "minus": taken - by}
                assert value == pytest.approx(wanted[op])
            seen.add(op)
        assert len(seen) > 6

    def test_join(self, played):
        for one in played("shipped", "join"):
            first, second = one.of(Step)
            taken = {ref.of for ref in second.calls[0].args.values() if ref.event == first.id}
            assert taken == {0, 1}
            assert first.calls[0].tool != first.calls[1].tool


@pytest.mark.parametrize("which", ["small", "shipped"])
class TestEachScenario:
    @pytest.mark.parametrize("scenario", ["single", "multiple"])
    def test_one_call(self, played, which: str, scenario: str):
        assert all(one.widths == [1] for one in played(which, scenario))

    def test_parallel(self, played, which: str):
        found = played(which, "parallel")
        assert all(len(set(one.tools[0])) == len(one.widths) == 1 for one in found)
        assert {width for one in found for width in one.widths} == {2, 3, 4}
        varied = [self.varied(one.events[0]) for one in found]
        assert 0.1 < sum(len(keys) == 1 for keys in varied) / len(found) < 0.9

    def varied(self, say: Say) -> set[str]:
        first, *others = [wish.said for wish in say.wishes]
        return {key for other in others for key in {**first, **other} if first.get(key) != other.get(key)}

    def test_parallel_multiple(self, played, which: str):
        for one in played(which, "parallel_multiple"):
            ((*names,),) = one.tools
            assert 2 <= len(names) <= 4
            assert len(set(names)) == len(names)
            linked = {(edge.source, edge.target) for edge in one.toolkit.edges}
            assert not any((first, second) in linked for first in names for second in names)

    def test_sequential(self, played, which: str):
        found = played(which, "sequential")
        for one in found:
            assert set(one.widths) == {1}
            assert 2 <= len(one.widths) <= 4
            first, *later = one.events[0].wishes
            assert not first.meant
            assert all(wish.meant for wish in later)
            names = [name for step in one.tools for name in step]
            assert len(set(names)) == len(names)
            assert not any(name.startswith(("cancel_", "delete_", "remove_")) for name in names[:-1])
        assert {len(one.widths) for one in found} >= {2, 3}

    def test_fan_out(self, played, which: str):
        for one in played(which, "fan_out"):
            first, second = one.of(Step)
            assert len(first.calls) == 1
            (pointer,) = {slot for call in second.calls for slot, ref in call.args.items() if ref.event == first.id}
            assert {call.args[pointer].pick.by for call in second.calls} == {"each"}
            assert len({call.args[pointer].at for call in second.calls}) == len(second.calls) > 1

    def test_mixed(self, played, which: str):
        for one in played(which, "mixed"):
            first, *later = one.of(Step)
            names = [call.tool for call in first.calls]
            assert 2 <= len(names) <= 3
            assert len(set(names)) == len(names)
            (call,) = [call for step in later for call in step.calls]
            assert call.tool not in names
            taken = {ref.of for ref in call.args.values() if ref.event == first.id}
            (source,) = taken
            assert first.calls[source].serves[1] == len(names) - 1  # asked for last, whenever it is called

    def test_follow_up(self, played, which: str):
        """Both kinds: the same request with another value, and something done with what was found."""
        kinds = set()
        for one in played(which, "follow_up"):
            first, second = one.of(Say)
            (before,), (after,) = first.wishes, second.wishes
            (before_call,), (call,) = [step.made for step in one.of(Step)]
            if any(isinstance(meant, Meant) for meant in after.meant.values()):
                kinds.add("result")
                assert any(isinstance(ref, Ref) and isinstance(one.events[ref.event], Step) for ref in one.of(Step)[1].calls[0].args.values())
            else:
                kinds.add("again")
                (slot,) = after.said
                assert before.tool == after.tool
                assert call.arguments == {**before_call.arguments, slot: after.said[slot]} != before_call.arguments
        assert kinds == {"result", "again"}

    def test_clarify(self, played, which: str):
        for one in played(which, "clarify"):
            asked, ask, reply, step, _ = one.events
            assert isinstance(ask, Ask)
            required = one.toolkit.toolbox[asked.wishes[0].tool].tool.parameters["required"]
            assert ask.slot in required
            assert ask.slot not in asked.wishes[0].said
            assert [*reply.wishes[0].said] == [ask.slot]
            assert step.made[0].arguments[ask.slot] == reply.wishes[0].said[ask.slot]

    def test_helper(self, played, which: str):
        for one in played(which, "helper"):
            search, _ = one.events[0].wishes
            first, second = one.of(Step)
            assert search.unnamed
            assert first.calls[0].tool in one.toolkit.look_ups
            assert any(ref.event == first.id for ref in second.calls[0].args.values())
            assert one.events[-1].about == ((second.id, 0),)  # what the look-up found is not told for its own sake

    def test_only_what_an_action_made_or_what_was_looked_for_is_told(self, played, which: str):
        """An order that was listed as open is cancelled now; what only served to find it is told now and then."""
        served: list[bool] = []
        for scenario in CHAINS:
            for one in played(which, scenario):
                calls = {(step.id, place): call for step in one.of(Step) for place, call in enumerate(step.calls)}
                told = one.of(Tell)[-1].about
                acting = {at for at, call in calls.items() if call.tool not in one.toolkit.look_ups}
                feeding = {(ref.event, ref.of) for at in acting for ref in calls[at].args.values() if (ref.event, ref.of) in calls}
                assert acting <= set(told)
                served += [at in told for at in feeding - acting]
        assert 0 < sum(served) < 0.4 * len(served)


@pytest.mark.parametrize("which", ["small", "shipped", "bare"])
class TestWithAnyTools:
    """Scenarios that tools without phrases can serve, too."""

    def test_compare(self, played, which: str):
        """Those are named that really are best, all of them."""
        for one in played(which, "compare"):
            (asked,), (found,) = one.of(Say), one.of(Step)
            (best,) = [tell for tell in one.of(Tell) if tell.how == "best"]
            by = asked.compares
            values = {(found.id, place): resolve(outcome.value, by.field) for place, outcome in enumerate(found.outcomes)}
            wanted = min(values.values()) if by.extreme == "min" else max(values.values())
            assert set(best.about) == {place for place, value in values.items() if value == wanted}
            assert len({call.arguments[by.slot] for call in found.made}) == len(found.made) > 1

    def test_ambiguous(self, played, which: str):
        """The assistant chooses nothing itself: what is taken is what the user names among all that was found."""
        ways = set()
        for one in played(which, "ambiguous"):
            (ask,) = one.of(Ask)
            found, done = one.of(Step)
            elements = resolve(found.outcomes[0].value, ask.among.at.partition("/*/")[0])
            values = [element[ask.among.at.rpartition("/")[2]] for element in elements]
            assert len({*values}) == len(values) > 1
            (ref,) = [ref for ref in done.calls[0].args.values() if ref.event == found.id]
            reply = one.events[ref.because[0]]
            assert reply.to == ask.id
            ways.add(ref.pick.by.partition(" ")[0])
        assert ways == {"nth", "is"}

    def test_bad_value(self, played, which: str):
        """What breaks the schema leads to no call; a name that nothing has leads to an error, and then to another call."""
        kinds = set()
        for one in played(which, "bad_value"):
            wish, last = one.of(Say)[0].wishes[0], one.of(Step)[-1]
            check = compiled(one.toolkit.toolbox[wish.tool].tool.parameters)
            refused = one.of(Ask)
            kinds.add("schema" if refused else "world")
            assert check.is_valid(wish.said) is not bool(refused)
            assert len(one.of(Step)) == (1 if refused else 2)
            assert one.of(Step)[0].outcomes[0].ok is bool(refused)
            assert check.is_valid(last.made[0].arguments)
            assert last.outcomes[0].ok
        assert kinds == ({"schema", "world"} if which == "shipped" else {"schema"})

    def test_refer_back(self, played, which: str):
        """The last call takes a value of the first turn, and nothing in between is of that kind."""
        for one in played(which, "refer_back"):
            first, *between, last = one.of(Step)
            assert between
            taken = [ref for ref in last.calls[0].args.values() if ref.event < between[0].id]
            assert taken
            assert {step.calls[0].tool for step in between}.isdisjoint({first.calls[0].tool, last.calls[0].tool})

    def test_long_context(self, played, which: str):
        for one in played(which, "long_context"):
            first, *between, last = one.of(Step)
            assert 4 <= len(between) <= 7
            assert any(ref.event == first.id for ref in last.calls[0].args.values())


@pytest.mark.parametrize("with_phrases", [True, False])
def test_what_is_written_down_is_found_again(tmp_path: Path, with_phrases: bool):
    """Without the note in the result that is looked up, the row is none of its kind; with or without phrases of the tools."""
    spec = yaml.safe_load((Path(__file__).parents[1] / "golden" / "notes.yaml").read_text(encoding="utf-8"))
    for tool in spec["tools"] if not with_phrases else ():
        del tool["phrases"]
    found = [one.row for one in rows(workshop(tmp_path, "remember", text=yaml.safe_dump(spec)), 20)]
    assert {len(conversation_shape(row.conversation, row.proof).steps) for row in found} >= {3, 4}
    for row in found:
        shape = conversation_shape(row.conversation, row.proof)
        assert SCENARIOS["remember"].holds(shape) is None
        (first, *_), used = shape.contents, [content for content in shape.contents if "notes" in content]
        (number,) = json.loads(first).values()
        assert any(note["note_id"] == number for note in json.loads(used[0])["notes"])
        lost = tuple([content.replace(number, "N-0") for content in shape.contents[1:]])
        assert SCENARIOS["remember"].holds(msgspec.structs.replace(shape, contents=(first, *lost))) is not None


@pytest.mark.parametrize("with_phrases", [True, False])
@pytest.mark.parametrize(
    ("scenario", "file", "told"),
    [
        ("error_stop", "library.yaml", {("failed",)}),
        ("error_recover", "library.yaml", {(), ("failed", "alternative", "yes")}),
        ("empty_result", "library.yaml", {("empty",), ("empty", "alternative", "yes"), ("fallback", "empty", "left_out")}),
        ("correct", "notes.yaml", {("regretted",)}),
    ],
)
def test_what_the_state_of_a_world_forbids_and_undoes(tmp_path: Path, scenario: str, file: str, told: set[tuple[str, ...]], with_phrases: bool):
    """With or without phrases of the tools, all that the scenario can come to does, and a row that has lost it is none of its kind."""
    spec = yaml.safe_load((Path(__file__).parents[1] / "golden" / file).read_text(encoding="utf-8"))
    for tool in spec["tools"] if not with_phrases else ():
        del tool["phrases"]
    shapes = [conversation_shape(one.row.conversation, one.row.proof) for one in rows(workshop(tmp_path, scenario, text=yaml.safe_dump(spec)), 25)]
    assert {shape.told for shape in shapes} == told
    for shape in shapes:
        assert SCENARIOS[scenario].holds(shape) is None
        assert SCENARIOS[scenario].holds(msgspec.structs.replace(shape, steps=shape.steps[:-1])) is not None
        if shape.told:
            assert SCENARIOS[scenario].holds(msgspec.structs.replace(shape, told=("done",))) is not None


def test_a_long_context_offers_many_tools_and_is_tagged_with_its_length():
    files = sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".json", ".yaml"})
    for one in rows(prepare(recipe(files, "long_context")), 6):
        turns = sum(isinstance(message, UserMessage) for message in one.row.conversation.messages)
        assert 20 <= len(one.row.conversation.tools) <= 110
        assert one.row.tags == (f"distance:{turns - 1}", f"tools:{len(one.row.conversation.tools)}")


def test_a_value_of_an_earlier_turn_is_said_again_as_the_same():
    """Tools of one goal share a day or a city: some turns later it is "the same day", and could be no other."""
    files = [TOOL_SPECS / name for name in ("weather.json", "restaurants.yaml", "travel.yaml")]
    shop = prepare(recipe(files, "refer_back", goals=(TOOL_SPECS / "goals" / "everyday.yaml",)))
    found = [one.row for one in rows(shop, 30)]
    same = [(row, claim) for row in found for claim in row.proof.arguments if claim.source == "earlier_turn"]
    assert same
    for row, claim in same:
        at, start, end = claim.referred
        assert row.conversation.messages[at].content[start:end].startswith("the same ")
        assert at > claim.message + 4


ALONE = """
- {name: get_time, parameters: {type: object, properties: {city: {type: string}}}}
- {name: get_news, parameters: {type: object, properties: {topic: {type: string}}}}
"""
ONE = "{name: get_time, parameters: {type: object, properties: {city: {type: string}}}}"
NOTHING_TO_SAY = "[{name: ping_it}, {name: pong_it, parameters: {type: object, properties: {}}}]"
PAIR = """
- name: find_it
  returns: {type: object, properties: {id: {type: string}}, required: [id]}
- name: use_it
  parameters: {type: object, properties: {id: {type: string}}, required: [id]}
  links: {id: "find_it#/id"}
"""
TWO_CITIES = "{name: get_time, parameters: {type: object, properties: {city: {enum: [Oslo, Rome], type: string}, zone: {type: string}}, required: [city]}}"
DAYS = """
- name: list_visits
  parameters: {type: object, properties: {city: {enum: [Oslo, Rome, Lima], type: string}}, required: [city]}
  returns: {type: object, properties: {visits: {type: array, minItems: 2, items: {type: object, properties: {due_date: {type: string, format: date}}, required: [due_date]}}}, required: [visits]}
- {name: plan_call, parameters: {type: object, properties: {date: {type: string, format: date}}, required: [date]}}
"""
SUMS = """
- name: get_bill
  parameters: {type: object, properties: {shop: {enum: [Oak, Elm, Ash], type: string}}, required: [shop]}
  returns: {type: object, properties: {total: {type: integer, minimum: 40, maximum: 90}}, required: [total]}
  phrases: {request: ["check the bill of {shop}"], answer: ["{args.shop} wants {total:usd}."], vary: [shop]}
- {name: pay_person, parameters: {type: object, properties: {amount: {type: number}}, required: [amount]}, phrases: {request: ["pay {amount:usd}"]}}
"""
TWO_LINKS = """
- name: list_rooms
  parameters: {type: object, properties: {floor: {enum: [low, high], type: string}}}
  returns: {type: object, properties: {rooms: {type: array, minItems: 2, items: {type: object, properties: {room: {type: string, pattern: "^R-[0-9]{6}$"}}, required: [room]}}}, required: [rooms]}
- name: find_keys
  parameters: {type: object, properties: {colour: {enum: [red, blue], type: string}}}
  returns: {type: object, properties: {keys: {type: array, minItems: 2, items: {type: object, properties: {key: {type: string, pattern: "^K-[0-9]{6}$"}}, required: [key]}}}, required: [keys]}
- name: assign_key
  parameters: {type: object, properties: {room: {type: string}, key: {type: string}}, required: [room, key]}
  links: {room: "list_rooms#/rooms/*/room", key: "find_keys#/keys/*/key"}
"""
LOST_LINK = """
- name: use_it
  parameters: {type: object, properties: {id: {type: string}}, required: [id]}
  links: {id: "find_it#/id"}
- {name: get_time}
"""


@pytest.mark.parametrize(
    ("scenario", "text", "what"),
    [
        ("multiple", ONE, "scenario 'multiple' needs at least two tools"),
        ("parallel", NOTHING_TO_SAY, "scenario 'parallel' needs a tool with parameters"),
        ("parallel_multiple", ONE, "scenario 'parallel_multiple' needs two tools"),
        ("parallel_multiple", PAIR, "scenario 'parallel_multiple' needs two tools that do not feed each other"),
        ("sequential", ALONE, "scenario 'sequential' needs a link between two loaded tools"),
        ("sequential", LOST_LINK, "whose source is loaded too"),
        ("fan_out", ALONE, "scenario 'fan_out' needs a link into a list"),
        ("fan_out", PAIR, "scenario 'fan_out' needs a link into a list"),
        ("mixed", ALONE, "scenario 'mixed' needs a link between two loaded tools"),
        ("mixed", PAIR, "and a third tool to call beside the first"),
        ("follow_up", NOTHING_TO_SAY, "scenario 'follow_up' needs a link between two loaded tools, or a tool that only looks"),
        ("follow_up", ONE, "has an argument to vary"),
        ("compute", PAIR, "scenario 'compute' needs a look-up with a day or an amount"),
        ("join", PAIR, "scenario 'join' needs a tool with two arguments that come from lists"),
        ("compare", PAIR, "scenario 'compare' needs a tool that looks something up, with a name"),
        ("helper", PAIR, "scenario 'helper' needs a link into the list that a search returns"),
        ("clarify", ALONE, "scenario 'clarify' needs a tool with a required argument"),
        ("clarify", NOTHING_TO_SAY, "scenario 'clarify' needs"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, scenario: str, text: str, what: str):
    with pytest.raises(PlanError) as caught:
        workshop(tmp_path, scenario, text=text)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        ("single", "{name: ping_it}"),
        ("multiple", NOTHING_TO_SAY),
        ("parallel", ONE),
        ("parallel", ONE.replace("}}}}", "}}}, phrases: {request: [what time is it]}}")),
        ("parallel_multiple", ALONE),
        ("sequential", PAIR),
        ("mixed", PAIR + ALONE),
        ("follow_up", PAIR),
        ("follow_up", TWO_CITIES),
        ("clarify", TWO_CITIES),
        ("compute", DAYS),
        ("compute", SUMS),
        ("join", TWO_LINKS),
        ("helper", TWO_LINKS),
        ("sequential", LOST_LINK + PAIR.partition("- name: use_it")[0]),
    ],
)
def test_what_is_just_enough_is_enough(tmp_path: Path, scenario: str, text: str):
    assert rows(workshop(tmp_path, scenario, text=text), 6)


def test_tools_without_parameters_are_not_called_twice_at_once(tmp_path: Path):
    shop = workshop(tmp_path, "parallel", text=f"[{ONE}, {{name: ping_it}}]")
    for made in rows(shop, 20):
        assert {call.name for step in conversation_shape(made.row.conversation, made.row.proof).steps for call in step} == {"get_time"}


def test_a_circle_of_links_ends(tmp_path: Path):
    text = """
- name: find_a
  parameters: {type: object, properties: {b: {type: string}}, required: [b]}
  returns: {type: object, properties: {a: {type: string, pattern: "^[a-z]{9}$"}}, required: [a]}
  links: {b: "find_b#/b"}
- name: find_b
  parameters: {type: object, properties: {a: {type: string}}, required: [a]}
  returns: {type: object, properties: {b: {type: string, pattern: "^[a-z]{9}$"}}, required: [b]}
  links: {a: "find_a#/a"}
"""
    assert rows(workshop(tmp_path, "sequential", text=text, steps=(5, 5)), 6)


def test_a_tool_that_links_to_itself(tmp_path: Path):
    text = """
- name: next_page
  parameters: {type: object, properties: {page: {type: string}}}
  returns: {type: object, properties: {page: {type: string, x-from: null, pattern: "^[a-z]{9}$"}}, required: [page]}
  links: {page: "next_page#/page"}
"""
    assert rows(workshop(tmp_path, "single", "parallel", text=text), 6)
    with pytest.raises(PlanError):
        workshop(tmp_path, "sequential", text=text)


# -- finished rows: has the conversation the shape? -----------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, list[MadeRow]]:
    folder = tmp_path_factory.mktemp("shapes")
    own = {name: rows(workshop(folder, name), 12) for name in CONVERSATIONS}
    stems = {"empty_result": ("tickets",), "remember": ("calendar",), "compute": ("calendar", "hr"), "join": ("tickets", "hr")}
    needing = {name: [TOOL_SPECS / f"{stem}.yaml" for stem in stems[name]] for name in WITH_ENTITIES}
    return own | {name: rows(prepare(recipe(files, name)), 12) for name, files in needing.items()}


def reason(scenario: str, talk: Conversation, proof: Proof) -> str | None:
    """Why the conversation has not the shape; claims about calls that it has lost are left out."""
    there = {call.id for index in calls_at(talk) for call in talk.messages[index].tool_calls}
    claims = tuple(claim for claim in proof.arguments if claim.call_id in there)
    return SCENARIOS[scenario].holds(conversation_shape(talk, msgspec.structs.replace(proof, arguments=claims)))


@pytest.mark.parametrize("scenario", ALL)
def test_made_rows_have_their_shape(made, scenario: str):
    assert {reason(scenario, one.row.conversation, one.row.proof) for one in made[scenario]} == {None}


@pytest.mark.parametrize("scenario", CHAINS)
def test_rows_of_the_shipped_tools_have_their_shape_too(scenario: str):
    shop = prepare(recipe([TOOL_SPECS / "travel.yaml", TOOL_SPECS / "mail.yaml", TOOL_SPECS / "banking.json"], scenario))
    for one in rows(shop, 15):
        assert reason(scenario, one.row.conversation, one.row.proof) is None


OTHERS = {
    "follow_up": {*ALL} - {"follow_up", "correct"},
    "clarify": {*ALL} - {"clarify"},
    "single": {"parallel", "parallel_multiple", "sequential", "fan_out", "mixed"},
    "multiple": {"parallel", "parallel_multiple", "sequential", "fan_out", "mixed"},
    "parallel": {"single", "multiple", "parallel_multiple", "sequential", "fan_out", "mixed"},
    "parallel_multiple": {"single", "multiple", "parallel", "sequential", "fan_out", "mixed"},
    "sequential": {"single", "multiple", "parallel", "parallel_multiple"},
    "fan_out": {"single", "multiple", "parallel", "parallel_multiple", "sequential", "mixed"},
    "mixed": {"single", "multiple", "parallel", "parallel_multiple", "sequential", "fan_out"},
    "ambiguous": {*ALL} - {"ambiguous"},
    "bad_value": {*ALL} - {"bad_value"},
    "refer_back": {*ALL} - {"refer_back", "long_context"},
    "long_context": {*ALL} - {"long_context"},
    "remember": {*ALL} - {"remember"},
    "error_stop": {*ALL} - {"error_stop"},
    "error_recover": {*ALL} - {"error_recover"},
    "retry_later": {*ALL} - {"retry_later"},
    "partial_failure": {*ALL} - {"partial_failure"},
    "multi_turn": {*ALL} - {"multi_turn", "switch", "refer_back", "remember", "long_context"},
    "switch": {*ALL} - {"switch"},
    "confirm": {*ALL} - {"confirm"},
    "conditional": {*ALL} - {"conditional"},
    "correct": {*ALL} - {"correct"},
    "empty_result": {*ALL} - {"empty_result"},
    "compute": {*ALL} - {"compute"},
    "join": {*ALL} - {"join", "mixed"},
    "compare": {*ALL} - {"compare"},
    "helper": {*ALL} - {"helper"},
}
"""Scenario → those whose rows do not have its shape (a chain that fans out is still a chain)."""


@pytest.mark.parametrize("scenario", ALL)
def test_rows_of_other_scenarios_do_not(made, scenario: str):
    for other in {*OTHERS[scenario], *TURNS} - {scenario}:
        assert None not in {reason(scenario, one.row.conversation, one.row.proof) for one in made[other]}, other


def calls_at(talk: Conversation) -> list[int]:
    return [i for i, m in enumerate(talk.messages) if isinstance(m, AssistantMessage) and m.tool_calls]


def with_calls(talk: Conversation, index: int, calls: tuple[ToolCall, ...]) -> Conversation:
    messages = list(talk.messages)
    messages[index] = msgspec.structs.replace(messages[index], tool_calls=calls)
    return msgspec.structs.replace(talk, messages=tuple(messages))


def without_the_last_step(talk: Conversation) -> Conversation:
    return with_calls(talk, calls_at(talk)[-1], ())


def without_all_but_one_call(talk: Conversation) -> Conversation:
    index = max(calls_at(talk), key=lambda at: len(talk.messages[at].tool_calls))
    return with_calls(talk, index, talk.messages[index].tool_calls[:1])


def one_call_after_the_other(talk: Conversation) -> Conversation:
    first = calls_at(talk)[0]
    call, *others = talk.messages[first].tool_calls
    if not others:
        return without_the_last_step(talk)
    messages = list(with_calls(talk, first, (call,)).messages)
    messages[-1:-1] = [AssistantMessage(tool_calls=tuple(others))]
    return msgspec.structs.replace(talk, messages=tuple(messages))


def another_tool(talk: Conversation) -> Conversation:
    index = calls_at(talk)[0]
    call, *others = talk.messages[index].tool_calls
    return with_calls(talk, index, (msgspec.structs.replace(call, name="other_tool"), *others))


def one_tool_only(talk: Conversation) -> Conversation:
    index = calls_at(talk)[0]
    return with_calls(talk, index, tuple(msgspec.structs.replace(c, name="same") for c in talk.messages[index].tool_calls))


def as_if_all_went_well(talk: Conversation) -> Conversation:
    messages = [msgspec.structs.replace(m, is_error=False) if isinstance(m, ToolMessage) else m for m in talk.messages]
    return msgspec.structs.replace(talk, messages=tuple(messages))


def no_other_tools(talk: Conversation) -> Conversation:
    return msgspec.structs.replace(talk, tools=talk.tools[:1])


@pytest.mark.parametrize(
    ("scenario", "change"),
    [
        ("single", without_the_last_step),
        ("multiple", no_other_tools),
        ("parallel", without_all_but_one_call),
        ("parallel", another_tool),
        ("parallel", one_call_after_the_other),
        ("parallel_multiple", one_tool_only),
        ("parallel_multiple", one_call_after_the_other),
        ("fan_out", without_all_but_one_call),
        ("fan_out", without_the_last_step),
        ("mixed", without_all_but_one_call),
        ("mixed", without_the_last_step),
        ("follow_up", without_the_last_step),
        ("clarify", without_the_last_step),
        ("error_stop", as_if_all_went_well),
        ("error_recover", as_if_all_went_well),
        ("error_recover", without_the_last_step),
        ("retry_later", as_if_all_went_well),
        ("retry_later", without_the_last_step),
        ("partial_failure", as_if_all_went_well),
        ("partial_failure", without_all_but_one_call),
        ("switch", without_the_last_step),
        ("helper", without_the_last_step),
        ("compare", without_all_but_one_call),
        ("compute", without_the_last_step),
        ("join", without_the_last_step),
        ("join", without_all_but_one_call),
    ],
)
def test_a_row_that_was_changed_has_lost_it(made, scenario: str, change: Callable[[Conversation], Conversation]):
    for one in made[scenario]:
        assert reason(scenario, change(one.row.conversation), one.row.proof) is not None


def test_a_chain_without_its_later_steps_is_none(made):
    for one in made["sequential"]:
        talk = one.row.conversation
        for index in calls_at(talk)[1:]:
            talk = with_calls(talk, index, ())
        assert reason("sequential", talk, one.row.proof) == "there is only one step"


@pytest.mark.parametrize("scenario", CHAINS)
def test_a_chain_whose_user_knows_the_identifier_is_none(made, scenario: str):
    """What the user says already needs no earlier result."""
    for one in made[scenario]:
        talk, proof = one.row.conversation, one.row.proof
        known = [
            call.arguments[claim.pointer[1:]]
            for claim in proof.arguments
            if claim.source == "result"
            for index in calls_at(talk)
            for call in talk.messages[index].tool_calls
            if call.id == claim.call_id
        ]
        index = next(i for i, m in enumerate(talk.messages) if isinstance(m, UserMessage))
        messages = list(talk.messages)
        messages[index] = UserMessage(content=f"{messages[index].content} It is {' or '.join(map(str, known))}.")
        assert reason(scenario, msgspec.structs.replace(talk, messages=tuple(messages)), proof) is not None


@pytest.mark.parametrize("scenario", CHAINS)
def test_a_chain_without_claims_from_results_is_none(made, scenario: str):
    for one in made[scenario]:
        claims = tuple(claim for claim in one.row.proof.arguments if claim.source != "result")
        assert reason(scenario, one.row.conversation, Proof(arguments=claims)) is not None


@pytest.mark.parametrize("scenario", TURNS)
def test_a_second_turn_that_needs_nothing_of_the_first_is_none(made, scenario: str):
    """What was said or found in the turn before is claimed to be said now, or by default."""
    for one in made[scenario]:
        last = one.row.conversation.messages[-1]
        assert isinstance(last, AssistantMessage)
        turn = 0 if scenario == "clarify" else len(one.row.conversation.messages) - 4

        def here(claim: Claim, turn: int = turn) -> Claim:
            return msgspec.structs.replace(claim, source="user", message=turn)

        claims = tuple(here(claim) for claim in one.row.proof.arguments)
        proof = msgspec.structs.replace(one.row.proof, arguments=claims)
        assert reason(scenario, one.row.conversation, proof) is not None


def test_a_fan_out_uses_every_element_once():
    def call(name: str, *takes: str) -> ShapedCall:
        return ShapedCall(name, bool(takes), takes, 1, frozenset({1}))

    def shape(*second: ShapedCall) -> ConversationShape:
        return ConversationShape("UCCA", ((call("find"),), second), 2)

    holds = SCENARIOS["fan_out"].holds
    one, other = (call("act", f"3:/items/{place}/id") for place in (0, 1))
    assert holds(shape(one, other)) is None
    assert holds(shape(one, one)) == "an element is used twice"
    assert holds(shape(one, call("act"))) is not None


@pytest.mark.parametrize("scenario", ALL)
def test_an_empty_conversation_has_no_shape(scenario: str):
    talk = Conversation(messages=(UserMessage(content="Hi"), AssistantMessage(content="Hello!")))
    assert reason(scenario, talk, Proof())


@pytest.mark.parametrize("scenario", ALL)
def test_scenarios_say_what_they_are(scenario: str):
    assert SCENARIOS[scenario].name == scenario
    assert 10 < len(SCENARIOS[scenario].about) < 100


def test_a_short_value_that_happens_to_stand_in_the_message_is_not_said_by_it(tmp_path: Path):
    """An identifier like 3 is not known because the user wants three rooms "at 3:30": a row of such tools can be made."""
    text = SHOP.replace('order_id: {type: string, pattern: "^ORD-[0-9]{6}$"', "order_id: {type: integer, minimum: 1, maximum: 9")
    text = text.replace('order_id: {type: string}', "order_id: {type: integer}")
    made_rows = rows(workshop(tmp_path, "sequential", text=text), 20)
    assert sum(len(one.rejected) for one in made_rows) <= 20
