"""Tools that others have written: every schema loads or cannot be satisfied, and every draw is valid."""

import json
import sys
from pathlib import Path

import bfcl_eval
import jsonschema_rs
import pytest
from arguments.making import arguments_of, faults, tool_of
from nightly import night, one_in

from generator.arguments import property_based
from generator.core.errors import SchemaError
from generator.formats.rows.bfcl import read_schema
from generator.tools.specs.readers.live import list_server_tools

DRAWS = 5
SOME = 4
"""One in so many of the leaderboard's schemas has draws in each run, in the nightly job every one has."""
SERVERS = {
    "time": ["-m", "mcp_server_time"],
    "git": ["-m", "mcp_server_git"],
    "fetch": ["-m", "mcp_server_fetch"],
    "sqlite": ["-c", "from mcp_server_sqlite import main; main()", "--db-path", ":memory:"],
}


def leaderboard():
    """All different parameter schemas of its function documents."""
    found = {}
    for file in sorted(Path(bfcl_eval.__file__).parent.glob("data/**/*.json")):
        for line in file.read_text(encoding="utf-8").splitlines() if "possible_answer" not in file.parts else ():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # a file of another kind
            documents = row.get("function", row) if isinstance(row, dict) else []
            for document in [documents] if isinstance(documents, dict) else documents:
                if "parameters" in document:
                    found[json.dumps(document["parameters"], sort_keys=True)] = read_schema(document["parameters"])
    return list(found.values())


def no_listed_value_fits(schema, pointer):
    """Whether the schema at that place lists only values that its own type does not allow."""
    for step in pointer.strip("/").split("/"):
        schema = schema[step]
    return not any(jsonschema_rs.is_valid({"type": schema["type"]}, value) for value in schema["enum"])


@pytest.mark.parametrize("every", [SOME, pytest.param(1, marks=night)])
def test_function_documents_of_the_leaderboard_load_and_all_draws_are_valid(every):
    schemas = leaderboard()
    assert len(schemas) > 2000
    schemas = schemas[::every]
    refused = []
    for schema in schemas:
        try:
            values = arguments_of(tool_of(schema), DRAWS)
        except SchemaError as fault:
            refused.append(str(fault))
            pointer, _, reason = refused[-1].partition("parameters: ")[2].partition(": ")
            assert reason == "no value satisfies 'enum'"
            assert no_listed_value_fits(schema, pointer)
            continue
        valid = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid
        assert all(map(valid, values))
        assert faults(schema, values[0]) == []
    assert len(refused) < 0.01 * len(schemas)


@pytest.mark.parametrize("name", one_in(2, SERVERS))
def test_all_draws_for_the_tools_of_running_mcp_servers_are_valid(name, monkeypatch):
    monkeypatch.setattr(property_based, "POOL_SIZE", 10)
    for tool in list_server_tools((sys.executable, *SERVERS[name])):
        for source in ("realistic", "property_based"):
            values = arguments_of(tool_of(tool.parameters, tool.name), 10, source=((source, 1.0),))
            assert [value for value in values if faults(tool.parameters, value)] == []
