"""The page of a review shows what stands in texts, runs none of it, and saves what is decided."""

from pathlib import Path

import yaml
from browser import FAULTS, Look, dom_of, needs_browser, told_by

from generator.run.authoring.review.page import page_of
from generator.run.authoring.review.review import Review, ReviewedRow, ReviewedText, ReviewedTool

EVIL = "\"><script>document.body.dataset.evil=1</script>' {x} & <b>"


def reviewed() -> str:
    """The page of one tool, whatever of which can be hostile is."""
    texts = tuple(
        ReviewedText(piece="phrases.request", text=f"{state} {EVIL}", state=state, why=EVIL)
        for state in ("kept", "dropped", "disputed")
    )
    row = ReviewedRow(lines=(f"User: {EVIL}",), faults=("natural",), why=EVIL)
    tool = ReviewedTool(
        name=EVIL, description=EVIL, texts=texts, gaps=(EVIL,), refused=EVIL, before=(row,), after=(row,)
    )
    return page_of(Review(title=EVIL, tools=(tool,), entities_dropped={EVIL: EVIL}), EVIL)


@needs_browser
def test_whatever_a_text_holds_is_shown_as_it_is(tmp_path: Path):
    page = reviewed()
    (tmp_path / "review.html").write_text(page, encoding="utf-8")
    dom = dom_of(f"file://{tmp_path}/review.html", tmp_path)
    assert "data-evil" not in dom
    assert page.count("<script") == 3  # what it is made of
    assert "1 texts kept, 1 disputed, 1 dropped" in page
    script = """
    const row = document.getElementById("row");
    return { texts: [...row.querySelectorAll("td input")].map((input) => input.value), why: row.querySelectorAll("td .fault").length,
      told: row.textContent };
    """
    (told,) = told_by(tmp_path, [Look(page)], script)
    assert told["texts"] == [f"{state} {EVIL}" for state in ("disputed", "dropped", "kept")]
    assert told["why"] == 3
    assert told["told"].count(f"User: {EVIL}") == 2
    assert f"refused  {EVIL}" in told["told"]


@needs_browser
def test_decisions_are_what_the_next_authoring_reads(tmp_path: Path):
    script = """
    const [first, second, third] = document.querySelectorAll("tr.disputed, tr.dropped, tr.kept");
    const none = decided();
    first.querySelectorAll("button")[0].click();
    second.querySelectorAll("button")[0].click(); second.querySelectorAll("button")[1].click();
    third.querySelector("input").value = "other words"; third.querySelector("input").oninput();
    select(0);  // what was decided stays when the tool is shown again
    const pressed = [...document.querySelectorAll("tr [aria-pressed=true]")].map((button) => button.textContent);
    return { none, yaml: decided(), pressed, input: document.querySelector("tr.kept input").value };
    """
    (told,) = told_by(tmp_path, [Look(reviewed())], script)
    about = {"tool": EVIL, "piece": "phrases.request"}
    assert yaml.safe_load(told["yaml"])["decisions"] == [
        {**about, "text": f"disputed {EVIL}", "do": "accept"},
        {**about, "text": f"dropped {EVIL}", "do": "reject"},
        {**about, "text": f"kept {EVIL}", "do": "edit", "to": "other words"},
    ]
    assert (told["none"], told["pressed"], told["input"]) == ("", ["accept", "reject"], "other words")


@needs_browser
def test_nothing_is_cut_or_hard_to_read(tmp_path: Path):
    looks = [Look(reviewed(), width, link) for width in (390, 1280) for link in ("#0/1", "#figures")]
    assert told_by(tmp_path, looks, FAULTS) == [[]] * 4
