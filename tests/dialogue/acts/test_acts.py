"""Every act is said in some row, and is refused in other words; an act as the documentation has it needs no more than its file."""

import re
from functools import cache
from pathlib import Path

import msgspec
import pytest
import yaml
from changed_rows import Proven, made, with_message
from nightly import night
from workbench import TODAY, load, recipe, rows

from generator.core.claims import Proof, UseClaim, WishClaim
from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, UserMessage
from generator.core.planning import EventLog, Outcome, Step
from generator.core.seeds import Draw
from generator.dialogue.acts import check
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording import phrases_of_tools
from generator.dialogue.wording.transcript import Transcript
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import prepare
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "architecture.md"


@cache
def _rows() -> tuple[Proven, ...]:
    """The usual rows, and more of the scenarios of which they have not all forms."""
    found = list(made())
    for scenario in ("held_back", "withheld_tool"):
        shop = prepare(
            recipe([ROOT / "tool_specs" / name for name in ("travel.yaml", "projects.yaml", "tickets.yaml")], scenario)
        )
        found += [Proven(one.row.conversation, one.row.proof, scenario, shop.toolbox) for one in rows(shop, 40)]
    weather = prepare(recipe((ROOT / "tool_specs" / "weather.json",), "single"))
    found += [Proven(one.row.conversation, one.row.proof, "single", weather.toolbox) for one in rows(weather, 30)]
    desk = load_recipe(ROOT / "recipes" / "service.yaml", scenarios=SCENARIOS, formats=FORMATS)
    service = prepare(msgspec.structs.replace(desk, scenarios=(("under_policy", 1.0),)))
    found += [
        Proven(one.row.conversation, one.row.proof, "under_policy", service.toolbox)
        for one in (*rows(service, 240), *rows(service, 1, first=423))
    ]
    return tuple(found)


@night
@pytest.mark.parametrize("how", check.ACTS)
def test_every_act_is_said_and_refused_in_other_words(how: str) -> None:
    said = [(row, tell) for row in _rows() for tell in row.proof.tells if tell.how == how]
    assert said
    for row, tell in said[:4]:
        text = row.text(tell.message)
        assert row.findings() == []
        if text[tell.end - 1] in ".?!":  # no value ends with it
            changed = f"{text[: tell.end - 1]};{text[tell.end :]}"
            assert with_message(row, tell.message, content=changed).findings(), text[tell.start : tell.end]


TOOL = """
tools:
  - type: function
    function: {name: wash_car, parameters: {type: object, properties: {}}}
    returns: {type: object, properties: {minutes: {type: integer}}, required: [minutes]}
"""


@pytest.fixture
def documented(monkeypatch: pytest.MonkeyPatch):
    """The act that docs/architecture.md has as an example."""
    text = PAGE.read_text(encoding="utf-8")
    forms, code = re.findall(
        r"^```(?:yaml|python)\n# generator/dialogue/acts/delay\.\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    )
    code = code.replace("own_data(__file__)", "FORMS")
    scope: dict[str, object] = {"FORMS": yaml.safe_load(forms)}
    exec(
        "from collections.abc import Iterator\n"
        "from generator.core.planning import Step\n"
        "from generator.dialogue.proof.ledger import Act, Sentence\n"
        "from generator.dialogue.wording.transcript import Transcript\n" + code,
        scope,
    )
    (act,) = scope["ACTS"]
    monkeypatch.setitem(check.ACTS, act.how, act)
    return scope


def test_an_act_is_one_file(documented, tmp_path: Path) -> None:
    toolbox = load(tmp_path, TOOL)
    for seed in range(4):
        call = ToolCall("call00001", "wash_car", {})
        talk = Transcript(EventLog(events=()), phrases_of_tools(toolbox), Draw(seed, TODAY), Voice(TODAY))
        talk.messages += [
            UserMessage("Call wash_car."),
            AssistantMessage(None, (call,)),
            ToolMessage(call.id, '{"minutes":20}', call.name),
        ]
        documented["tell"](talk, Step(calls=(), made=(call,), outcomes=(Outcome(True, "", {"minutes": 20}),)), 0)
        talk.wishes.append(WishClaim(call.id, call.name, 0))
        talk.uses.append(UseClaim(0, 0, "bare: call wash_car", (call.id,)))
        conversation, proof = talk.finish()
        assert "20 minutes" in str(conversation.messages[-1].content)
        assert _codes(conversation, proof, toolbox) == set()
        text = str(conversation.messages[-1].content)
        assert _codes(_saying(conversation, text.replace("20", "25")), proof, toolbox) == {"PF106"}
        assert "PF111" in _codes(_saying(conversation, text.replace("minutes.", "minutes!")), proof, toolbox)
        failed = msgspec.structs.replace(
            conversation,
            messages=(
                *conversation.messages[:2],
                ToolMessage(call.id, '{"error":"x","minutes":20}', call.name),
                conversation.messages[3],
            ),
        )
        assert "PF120" in _codes(failed, proof, toolbox)


def _codes(conversation: Conversation, proof: Proof, toolbox) -> set[str]:
    return {finding.code for finding in check.check_row(conversation, proof, toolbox)}


def _saying(conversation: Conversation, text: str) -> Conversation:
    return msgspec.structs.replace(conversation, messages=(*conversation.messages[:-1], AssistantMessage(text)))
