"""Users give reasons that the tool's file has; another one, or one beside another request, is refused."""

import re
from functools import cache

import pytest
from changed_rows import Proven, replace, spliced, with_proof
from workbench import SHOP, TOOL_SPECS, recipe, rows, write_tools

from generator.core.errors import SpecError
from generator.dialogue.acts.reason import _CONDITION, TABLE, _holds, _lines, check_reasons
from generator.run.row import prepare
from generator.tools.specs import load_toolbox


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


def test_reasons_go_with_the_values_of_the_call():
    """ "The baby is asleep" stands beside a low volume; beside a high one, it is refused."""
    home = prepare(recipe([TOOL_SPECS / "smart_home.yaml", TOOL_SPECS / "music.json"], "single"))
    refused = 0
    for one in rows(home, 120):
        row = Proven(one.row.conversation, one.row.proof, "single", home.toolbox)
        for tell in [tell for tell in row.proof.tells if tell.how == "reason"]:
            call = next(
                call for message in one.row.conversation.messages for call in getattr(message, "tool_calls", ())
            )
            spec, text = home.toolbox[call.name], row.text(tell.message)[tell.start : tell.end]
            lines = _lines(spec)
            assert any(line.texts.fullmatch(text) and _holds(line, call.arguments) for line in lines)
            others = [line for line in _texts(spec) if not any(_said(line, one, call.arguments) for one in lines)]
            for other in others:
                refused += 1
                found = spliced(row, tell.message, tell.start, len(text), other).findings()
                assert "PF138" in {finding.code for finding in found}, other
    assert refused


def _texts(spec):
    """Return one text of each line."""
    lines = spec.declared.tables[TABLE].texts[spec.name].lines
    return [re.sub(r"\{([^{}|]*)\|?[^{}]*\}", r"\1", _CONDITION.sub("", line)) for line in lines]


def _said(text, line, arguments):
    return line.texts.fullmatch(text) and _holds(line, arguments)


def test_reasons_are_given_where_no_call_follows():
    shop = prepare(recipe([TOOL_SPECS / "contacts.json", TOOL_SPECS / "restaurants.yaml"], "irrelevant", "near_miss"))
    made = [one.row for one in rows(shop, 40)]
    given = [row for row in made if any(tell.how == "reason" for tell in row.proof.tells)]
    assert any(row.proof.declines for row in given)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("(max_total <=) I have to look at every penny.", "not an expression"),
        (
            "(max_totl <= 300) I have to look at every penny.",
            """find_orders has no argument 'max_totl' (did you mean "max_total"?)""",
        ),
        ("(not gifft) I have to look at every penny.", """(did you mean "gift"?)"""),
        ("(today) I have to look at every penny.", "find_orders has no argument 'today' (known: customer"),
        ("(args.max_total <= 300) I have to look at every penny.", "max_total, not args.max_total"),
        ("(max_total <= 300) i have to look at every penny.", "begins with a capital"),
    ],
)
def test_conditions_that_cannot_be_read_are_refused_with_their_place(tmp_path, line, expected):
    reasons = tmp_path / "reasons.yaml"
    tools = write_tools(tmp_path, SHOP + "\ntables: {reasons: reasons.yaml}\n")
    for stated, is_right in (("(max_total <= 300 and not gift) I have to look at every penny.", True), (line, False)):
        reasons.write_text(f'find_orders:\n- "I am curious."\n- "{stated}"\n')
        if is_right:
            prepare(recipe([tools], "single"))
            continue
        with pytest.raises(SpecError) as refused:
            prepare(recipe([tools], "single"))
        assert str(refused.value).startswith(f"{reasons}:3: find_orders[1]: {line!r}: ")
        assert expected in str(refused.value)


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
    check_reasons(known)
    for line in texts:
        line = _CONDITION.sub("", line)
        assert not re.search(
            r"\d|\b(?:two|three|four|five|ten|today|tomorrow|tonight|Monday|Friday|January|March)\b", line
        ), line
        assert re.search(r"\.\}?\Z", line), line
