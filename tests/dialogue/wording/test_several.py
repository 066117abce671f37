"""Several calls of one tool in one message: nothing is left hanging, and no line of a list is a sentence short."""

import re
from pathlib import Path

from workbench import rows, user_text, workshop

LISTS = """
tools:
  - name: archive_list
    description: Archive a list.
    parameters: {type: object, properties: {list: {type: string}}, required: [list]}
    examples: {list: [Groceries, Ideas, Chores, Errands, Books, Films]}
    phrases:
      request: ["send the list {list} to the archive", "archive the list {list}", "archive a list"]
      again: ["the list {list}"]
      slots: {list: ["It's the list {list}."]}
      answer: ["The list {args.list} is in the archive."]
"""


def test_what_stands_behind_the_last_value_is_said_of_all(tmp_path: Path):
    texts = [user_text(made) for made in rows(workshop(tmp_path, "parallel", text=LISTS), 60)]
    assert not [text for text in texts if re.search(r"to the archive,? (and |as well as |plus )?the list", text)]
    assert any(re.search(r"archive the list \w+(,| and| as well| plus)", text, re.IGNORECASE) for text in texts)


def test_a_line_of_a_list_says_all_in_itself(tmp_path: Path):
    texts = [user_text(made) for made in rows(workshop(tmp_path, "parallel", text=LISTS), 60)]
    assert any("\n- " in text or "\n1. " in text for text in texts)
    assert not [text for text in texts if re.search(r"\n(- |\d\. ).*It's the list", text)]


WARNINGS = """
tools:
  - name: list_warnings
    description: List the warnings for a region.
    parameters: {type: object, properties: {region: {type: string}, level: {type: string, enum: [yellow, red]}}, required: [region]}
    examples: {region: [Dobruja, Moravia, Galicia, Silesia, Kashubia, Banat]}
    phrases:
      request: ["list the warnings in {region}", "list the {level} warnings in {region}"]
      again: ["in {region}", "the {level} ones in {region}"]
      slots: {level: ["that are {level}"]}
      answer: ["Nothing happens in {args.region}."]
"""


def test_a_clause_without_a_verb_leaves_out_nothing_that_the_one_before_says(tmp_path: Path):
    """Who wants the red warnings in Dobruja, and also in Moravia, wants the red ones in Moravia."""
    texts = [user_text(made) for made in rows(workshop(tmp_path, "parallel", text=WARNINGS), 60)]
    elliptical = [text for text in texts if re.search(r"[a-z](,| and|, and also|, plus) (in|the \w+ ones in) ", text)]
    assert len({len(re.findall(r"yellow|red", text)) for text in elliptical}) > 1
    for text in elliptical:
        assert len(re.findall(r"yellow|red", text)) in (0, len(re.findall(r"\bin [A-Z]", text))), text
