"""Answers say only what a row shows: the tool, the result, the messages."""

from pathlib import Path
from typing import Any

import pytest
from shipped_tools import FILES

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, ToolMessage, UserMessage
from generator.core.declared import read
from generator.core.documents import Document
from generator.core.errors import SpecError
from generator.core.overlays import join_pieces
from generator.core.toolbox import ToolSpec
from generator.core.yaml_values import own_data
from generator.recipe import ToolFile
from generator.tools.specs.load import load_toolbox
from generator.tools.specs.models import WrittenTool
from generator.tools.specs.overlay_files import SERVERS
from generator.tools.specs.overlays import read_overlay
from generator.tools.specs.shown import __file__ as shown_file
from generator.tools.specs.shown import check_shown, unshown

TOOL = """\
tools:
  - function:
      name: book_stay
      description: {about}
      parameters: {{type: object, properties: {{offer: {{type: string, description: {argument}}}}}, required: [offer]}}
    returns:
      type: object
      properties:
        {field}: {{type: number}}
        currency: {currency}
      required: [{field}, currency]
    examples: {{offer: [A-1, A-2, A-3]}}
    phrases:
      request: ["book {{offer}}"]
      answer: ["{answer}"]
"""


def stay(
    folder: Path,
    answer: str,
    *,
    about: str = "Book it.",
    field: str = "amount",
    argument: str = "Which one",
    currency: str = "{type: string}",
) -> ToolSpec:
    """A tool with one answer, in which `{}` stands for the field of its result."""
    path = folder / "stay.yaml"
    said = answer.replace("{}", f"{{{field}}}").replace("{:", f"{{{field}:")
    path.write_text(TOOL.format(about=about, field=field, argument=argument, currency=currency, answer=said))
    return load_toolbox([path])["book_stay"]


CASES = [
    ("It costs {:usd}.", "$", {"about": "Book it; prices are in US dollars."}),
    ("It costs {:eur}.", "€", {"currency": "{const: EUR}"}),
    ("It costs {:gbp}.", "£", {"field": "price_gbp"}),
    ("The flight costs ${}.", "$", {"argument": "Offer in USD"}),
    ("It is {} km long.", "# km", {"field": "distance_km"}),
    ("It is {}°C there.", "°c", {"about": "Book it and get the temperature in degrees Celsius."}),
    ("There is a {}% discount.", "# %", {"field": "discount_percent"}),
    ("It takes {:minutes}.", "# minutes", {"field": "duration_minutes"}),
    ("It is {} from the centre.", "from the centre", {"field": "distance_to_centre"}),
    ("It is {} on foot.", "on foot", {"field": "walk_minutes"}),
    ("It costs {} per person.", "per person", {"about": "Book it at a price per person."}),
    ("It costs {} a night.", "# a night", {"field": "price_per_night"}),
    ("It is kept for {} if you're late.", "if you're late", {"about": "Book it; late guests are waited for."}),
    (
        "It is {}, then the normal schedule takes over.",
        "takes over",
        {"about": "Book it until the schedule takes over."},
    ),
    ("Right now it is {}.", "right now", {"field": "current_price"}),
]


class TestPhrases:
    @pytest.mark.parametrize(("answer", "said", "shown"), CASES, ids=[case[1] for case in CASES])
    def test_say_only_what_tool_or_result_shows(self, tmp_path: Path, answer: str, said: str, shown: dict[str, str]):
        with pytest.raises(SpecError) as refusal:
            stay(tmp_path, answer)
        place, _, told = str(refusal.value).partition(": ")
        assert place == f"{tmp_path / 'stay.yaml'}:15"
        assert f"no row shows {said!r}" in told
        assert stay(tmp_path, answer, **shown).phrases.answer

    def test_are_no_claims_where_words_only_look_like_them(self, tmp_path: Path):
        for answer in ("I'm done: {}.", "It took an hour, not {}.", "Put it away ({}).", "You get {} each day."):
            assert stay(tmp_path, answer, field="daily").phrases.answer

    def test_a_description_of_the_schema_of_the_result_shows_nothing(self, tmp_path: Path):
        with pytest.raises(SpecError, match="no row shows '€'"):
            stay(tmp_path, "It costs {:eur}.", currency="{type: string, description: always EUR}")

    def test_a_value_that_an_answer_holds_for_shows_it(self, tmp_path: Path):
        path = tmp_path / "stay.yaml"
        stay(tmp_path, "Done: {}.")
        path.write_text(
            path.read_text().replace('"Done: {amount}."', "{when: {currency: USD}, say: 'For {amount:usd}.'}")
        )
        assert load_toolbox([path])["book_stay"].phrases.answer

    def test_in_an_overlay_are_told_where_they_stand(self, tmp_path: Path):
        stay(tmp_path, "Done: {}.")
        overlay = tmp_path / "more.yaml"
        overlay.write_text("tools:\n  book_stay:\n    phrases:\n      answer:\n      - It costs {amount:usd}.\n")
        with pytest.raises(SpecError, match=r"more\.yaml:5: .*no row shows '\$' \(currency\)"):
            load_toolbox([ToolFile(file=tmp_path / "stay.yaml", overlays=(overlay,))])


@pytest.mark.parametrize("path", [*FILES, *sorted(FILES[0].parent.glob("*_tools.py"))], ids=lambda path: path.stem)
def test_shipped_files_and_their_bank_show_what_they_say(path: Path):
    found = {spec.name: list(check_shown(spec)) for spec in load_toolbox([path]).values()}
    assert found
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("package", sorted(path.name for path in SERVERS.iterdir() if path.is_dir()))
def test_overlays_of_servers_show_what_they_say(package: str):
    """By names and results alone: what the server's own texts say may change."""
    overlay = read_overlay(SERVERS / package / "overlay.yaml")
    for name, layer in overlay.layers.items():
        said: dict[str, Any] = {
            key: part for key, part in join_pieces(layer.pieces).items() if key in ("phrases", "returns")
        }
        document = Document(package, "", {"function": {"name": name}, **said})
        written = read(WrittenTool, document, document.value, (), SpecError)
        tool = Tool(name=name, description=None, parameters=None)
        spec = ToolSpec(tool=tool, domain="", where="", returns=written.returns, phrases=written.phrases)
        assert list(check_shown(spec)) == [], name


def row(answer: str, result: str = "{}", *, about: str = "Get it.", said: str = "How much?") -> Conversation:
    """A call and its answer."""
    other = Tool(name="other", description="In dollars, euros, km, minutes, per person.", parameters=None)
    call = AssistantMessage(tool_calls=(ToolCall(id="1", name="get_it", arguments={}),))
    return Conversation(
        tools=(Tool(name="get_it", description=about, parameters=None), other),
        messages=(
            UserMessage(content=said),
            call,
            ToolMessage(tool_call_id="1", name="get_it", content=result),
            AssistantMessage(content=answer),
        ),
    )


def claims(conversation: Conversation) -> list[str]:
    """What its answers say that nothing shows."""
    return [claim.said for claim in unshown(conversation)]


class TestRows:
    def test_what_nothing_shows_is_found(self):
        found = {"$", "per person", "# km", "km from", "from the centre"}
        assert {*claims(row("It's $89 per person, 2 km from the centre."))} == found

    @pytest.mark.parametrize(
        "shown",
        [
            {"result": '{"price": 89, "currency": "USD"}'},
            {"result": '{"price": "$89"}'},
            {"about": "Get the price in dollars."},
            {"said": "Is there one for less than $100?"},
        ],
    )
    def test_results_tools_and_messages_show_it(self, shown: dict[str, str]):
        assert claims(row("It costs $89.")) == ["$"]
        assert claims(row("It costs $89.", **shown)) == []

    def test_answers_without_a_result_are_not_held_to_it(self):
        talk = row("It costs $89.")
        alone = Conversation(
            tools=talk.tools, messages=(talk.messages[0], AssistantMessage(content="Under $5, on foot."))
        )
        assert claims(alone) == []

    def test_every_word_is_found_and_shown_by_each_of_its_alternatives(self):
        groups = own_data(shown_file)["claims"].values()
        for said, shown in [pair for group in groups for pair in group.items()]:
            for one in said.casefold().split(", "):
                text = f"It is {one.replace('#', '7')} then."
                assert one in claims(row(text)), one
                for word in shown.split(", "):
                    assert one not in claims(row(text, f'{{"{word.rstrip("*").replace(" ", "_")}": 7}}')), (one, word)
