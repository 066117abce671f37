"""What docs/client-findings.md says of installed packages is found again."""

import importlib.metadata
import re
from collections import defaultdict
from pathlib import Path

import pytest
from corpora import recipe_of
from nightly import one_in
from packaging.version import Version

from generator.corpus import cases
from generator.corpus.check.run import CheckOptions, check_corpus
from generator.corpus.run import make_corpus

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/client-findings.md").read_text(encoding="utf-8")
ROW = re.compile(r"\| (\S+) (\S+) \| `(\w+)` \| `(\w+)` \| `([^`]+)` \| ([^|]+) \| .+ \|")
INSTALLED, OTHERS = ([match.groups() for match in ROW.finditer(part)] for part in PAGE.split("## Packages to install"))
CLIENTS = defaultdict(set, {("openai_chunks", "openai_chat"): set(), ("openai_responses", "openai_responses"): set()})
for _, _, client, form, case, label in INSTALLED:
    CLIENTS[client, form].add((case, label))
READ = {
    "grid-call_alone",
    "grid-several_data_lines",
    "grid-text_reads_as_event",
    "grid-error_midway",
    "grid-compact-0029",
}
"""Cases that all clients read rightly."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("findings")
    make_corpus(recipe_of(folder, "kind: corpus\nname: all\ncases: 1\nformats: [clients]\n"), folder / "out")
    return folder / "out"


# litellm last: each of its cases takes seconds to import it, so it is tried at night.
@pytest.mark.parametrize(
    "pair", one_in(6, sorted(CLIENTS, key=lambda pair: "litellm" in pair[0])), ids=lambda pair: pair[0]
)
def test_what_is_told_is_found_again_and_other_cases_are_read(corpus, pair):
    client, form = pair
    told = CLIENTS[client, form]
    known = {case.id for case in cases(corpus, form)}
    ids = {case for case, _ in told} | (known & READ)
    for seconds in (10, 60):  # a client that starts late on a loaded machine is asked once more
        how = CheckOptions(parser=f"{ROOT}/tests/clients.py:{client}", memory=4096, seconds=seconds)
        found = {
            (finding.case, finding.label)
            for finding in check_corpus(corpus, how, formats=(form,), ids=tuple(ids)).findings
        }
        if found == told:
            break
    assert found == told


def test_cases_of_packages_that_are_not_installed_are_in_the_corpus(corpus):
    assert len(OTHERS) == PAGE.split("## Packages to install")[1].count("\n| ") - 1
    assert len(INSTALLED) == PAGE.split("## Packages to install")[0].count("\n| ") - 1
    for _, _, _, form, case, _ in OTHERS:
        assert case in {known.id for known in cases(corpus, form)}


def test_no_version_is_newer_than_what_is_tested():
    """What is told is found again above, with the versions that are installed; the page names those it was written with."""
    for name, version, *_ in INSTALLED:
        assert Version(importlib.metadata.version(name)) >= Version(version), name
