"""The official JSON Schema test suite: what can be satisfied is made by both sources, or refused by name."""

import json

import jsonschema_rs
import pytest
from arguments.making import draws, faults, tool_of
from arguments.schema_suite import groups

from generator.arguments import compile_source, property_based
from generator.core.errors import SchemaError
from generator.recipe import ArgumentSettings

BOTH = ("realistic", "property_based")
DRAFTS = {"draft4": BOTH[:1], "draft7": BOTH, "draft2019-09": BOTH[:1], "draft2020-12": BOTH}
ENOUGH = 8
POOLED = 15
"""One in so many schemas has a pool drawn by Hypothesis in each run, in the nightly job every one has."""
AGAIN = 3
"""One in so many schemas of an older draft that the last one has, too, is made in each run; in the nightly job every one."""


def refusal(schema, sources):
    """Why no values are made, or None after all values of all sources were found to be valid."""
    for source in sources:
        try:
            values = draws(compile_source(tool_of(schema), ArgumentSettings(source=((source, 1.0),)), 1), ENOUGH)
        except SchemaError as fault:
            return str(fault)
        valid = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid
        assert [value for value in values if faults(schema, value) or not valid(value)] == [], source
    return None


def without_draft(schema):
    """The schema as text, whatever draft it names."""
    return json.dumps({**schema, "$schema": None} if isinstance(schema, dict) else schema, sort_keys=True)


OUT_OF_SCOPE = (
    "nothing in the same schema has that name",  # it needs another document: none is ever fetched
    "parameters: /$schema: the dialect",
)


def is_out_of_scope(fault):
    """Whether the schema cannot be one of arguments."""
    return any(reason in fault for reason in OUT_OF_SCOPE)


@pytest.mark.parametrize("pooled", [POOLED, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("draft", "sources"), DRAFTS.items(), ids=DRAFTS)
def test_what_can_be_satisfied_is_made_or_refused_by_name(draft, sources, pooled, monkeypatch):
    monkeypatch.setattr(property_based, "POOL_SIZE", ENOUGH)
    last = set() if draft == "draft2020-12" else {without_draft(schema) for _, schema, _ in groups("draft2020-12")}
    found = {
        name: (refusal(schema, sources if at % pooled == 0 else sources[:1]), can_be)
        for at, (name, schema, can_be) in enumerate(groups(draft))
        if pooled == 1 or at % AGAIN == 0 or without_draft(schema) not in last
    }
    whole = {name: fault for name, (fault, can_be) in found.items() if can_be and not is_out_of_scope(fault or "")}
    refused = {name: fault for name, fault in whole.items() if fault is not None}
    assert len(whole) > 30
    assert len(refused) <= 0.05 * len(whole), refused
    assert all(fault.startswith("d.yaml:1: do_it: parameters: /") for fault in refused.values())
