"""What docs/findings.md says of parsers of servers is still so, with the versions that are pinned."""

import findings
import pytest
from nightly import one_in

from generator.corpus.check.run import check_corpus


@pytest.mark.parametrize("parser", one_in(8, sorted({entry["parser"] for entry in findings.entries()})))
def test_every_finding_is_reproduced(parser):
    entries = [entry for entry in findings.entries() if entry["parser"] == parser]
    formats = tuple({entry["format"] for entry in entries})
    ids = tuple(entry["case"] for entry in entries)
    how = findings.how_of(parser, any(entry["streams"] for entry in entries))
    found = {
        (finding.case, finding.label)
        for finding in check_corpus(findings.FOLDER, how, formats=formats, ids=ids).findings
    }
    assert {(entry["case"], entry["label"]) for entry in entries} <= found


def test_the_page_is_up_to_date():
    assert findings.PAGE.read_text(encoding="utf-8") == findings.page()
