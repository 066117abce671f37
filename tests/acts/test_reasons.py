"""Users give reasons that the tool's file has; another one, or one beside another request, is refused."""

import re
from functools import cache

from changed_rows import Proven, replace, spliced, with_proof
from workbench import TOOL_SPECS, recipe, rows

from generator.acts.reason import TABLE
from generator.run.row import prepare
from generator.specs import load_toolbox


@cache
def _rows() -> tuple[Proven, ...]:
    shop = prepare(recipe([TOOL_SPECS / "travel.yaml", TOOL_SPECS / "shop.yaml"], "single", "parallel_multiple"))
    return tuple([Proven(one.row.conversation, one.row.proof, "single", shop.toolbox) for one in rows(shop, 120)])


def test_reasons_are_given_and_no_others_pass():
    given = [(row, tell) for row in _rows() for tell in row.proof.tells if tell.how == "reason"]
    assert 0.08 * len(_rows()) < len(given) < 0.35 * len(_rows())
    assert {bool(tell.start) for _, tell in given} == {True, False}
    for row, tell in given:
        assert not row.findings()
        text = row.text(tell.message)[tell.start : tell.end]
        other = spliced(row, tell.message, tell.start, len(text), f"I need {len(text)} of them.")
        assert {"PF138", "PF110"} & {finding.code for finding in other.findings()}
        without = with_proof(row, tells=[one for one in row.proof.tells if one is not tell])
        assert without.findings()
        moved = with_proof(
            row, tells=[replace(one, call_id="000000000") if one is tell else one for one in row.proof.tells]
        )
        assert moved.findings()


def test_arguments_in_reasons_are_those_of_the_call():
    """ "It's our anniversary on 4 May" beside a request for a table on 4 May; another day, or another argument, is refused."""
    shop = prepare(recipe([TOOL_SPECS / "weather.json", TOOL_SPECS / "maps.yaml"], "single"))
    made = [Proven(one.row.conversation, one.row.proof, "single", shop.toolbox) for one in rows(shop, 80)]
    said = [
        (row, tell, one) for row in made for tell in row.proof.tells for one in row.proof.answers if _within(one, tell)
    ]
    assert said
    for row, tell, one in said:
        assert row.text(tell.message)[one.start : one.end] in row.text(tell.message)
        other = spliced(row, tell.message, one.start, one.end - one.start, "Nowhere")
        assert other.findings()
        without = with_proof(row, answers=[claim for claim in row.proof.answers if claim is not one])
        assert without.findings()


def _within(claim, tell):
    return tell.how == "reason" and claim.message == tell.message and tell.start <= claim.start < tell.end


def test_reasons_are_given_where_no_call_follows():
    shop = prepare(recipe([TOOL_SPECS / "contacts.json", TOOL_SPECS / "restaurants.yaml"], "irrelevant", "near_miss"))
    made = [one.row for one in rows(shop, 40)]
    given = [row for row in made if any(tell.how == "reason" for tell in row.proof.tells)]
    assert any(row.proof.declines for row in given)


def test_reasons_of_all_tools_hold_nothing_that_a_call_could_take():
    known = load_toolbox(path for path in TOOL_SPECS.iterdir() if path.suffix in {".yaml", ".json"})
    tools, texts = 0, set()
    for spec in known.values():
        table = spec.declared.tables.get(TABLE)
        if table is None:  # tools that nobody asks for, such as those of a desk
            continue
        assert set(table.texts) <= set(known)
        tools += spec.name in table.texts
        texts |= set(table.texts[spec.name].lines) if spec.name in table.texts else set()
    assert tools > 0.9 * len(known)
    assert len(texts) >= 60
    for name, spec in known.items():
        table = spec.declared.tables.get(TABLE)
        lines = () if table is None or name not in table.texts else table.texts[name].lines
        for slot in re.findall(r"\[(\w+)\]", " ".join(lines)):  # those of a tool with the same lines are passed over
            assert any(slot in other.properties for other in known.values() if other.declared is spec.declared), (
                name,
                slot,
            )
    for line in texts:
        assert not re.search(
            r"\d|\b(?:two|three|four|five|ten|today|tomorrow|tonight|Monday|Friday|January|March)\b", line
        ), line
        assert re.search(r"\.\}?\Z", line), line
