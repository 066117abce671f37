"""`show --words`: every word of a message has its reason, and the words of a tool's phrase are its own."""

from workbench import TODAY, TOOL_SPECS, recipe, rows

from generator.core.conversation import UserMessage
from generator.core.seeds import Draw
from generator.core.templates import Plural
from generator.core.toolbox import Toolbox
from generator.formats.run_folder.proof_line import proof_line
from generator.report.files.show import JOINING, ShownWords, derived_words
from generator.run.overlays.personas import write_as
from generator.run.row import prepare
from generator.tools.productions import production_of

SHOP = prepare(recipe([TOOL_SPECS / "mail.yaml", TOOL_SPECS / "travel.yaml"], "parallel_multiple", "sequential"))


def test_the_pieces_of_a_message_are_the_message() -> None:
    made, reasons = [one.row for one in rows(SHOP, 6)], set()
    for row in made:
        derived = derived_words(row.conversation, proof_line(row))
        assert derived.keys() >= {use.message for use in row.proof.uses}
        for index, pieces in derived.items():
            assert "".join([piece.text for piece in pieces]) == row.conversation.messages[index].content
            for piece in pieces:
                reasons.add(piece.why.partition(": ")[0])
                assert piece.why == JOINING or piece.why.startswith("act: ") or _is_said(piece, SHOP.toolbox), piece
    assert {"request", "add", "answer", "act", JOINING} <= reasons


def _is_said(piece: ShownWords, toolbox: Toolbox) -> bool:
    """Whether a form of the tool has these words around its values."""
    form = production_of(toolbox[piece.calls[0].partition(" ")[2]], piece.why)
    if form is None:
        return False
    texts = [one.strip(" .").casefold() for one in form.template.segments if isinstance(one, str)]
    said = piece.text.casefold()
    return any(isinstance(one, Plural) for one in form.template.segments) or all(text in said for text in texts)


def test_words_that_are_changed_afterwards_have_no_reason() -> None:
    kept = 0
    for one in rows(SHOP, 6):
        row = one.row
        talk, proof = write_as(row.conversation, row.proof, "casual", Draw(1, TODAY))
        kept += len(proof.uses)
        assert not any(isinstance(talk.messages[use.message], UserMessage) for use in proof.uses)
    assert kept
