"""Tools that others have written: every schema loads or cannot be satisfied, and every draw is valid."""

import json
import subprocess
import sys
from pathlib import Path

import bfcl_eval
import jsonschema_rs
import pytest
from arguments.making import arguments_of, faults, tool_of

from generator.arguments.other_sources import property_based
from generator.errors import SchemaError

DRAWS = 5
TYPES = {
    **dict.fromkeys(("dict", "HashMap"), "object"),
    **dict.fromkeys(("float", "double"), "number"),
    **dict.fromkeys(("tuple", "list", "ArrayList", "Array"), "array"),
    **dict.fromkeys(("String", "char"), "string"),
    "long": "integer",
    "Boolean": "boolean",
}
"""Names of types that the leaderboard's documents use, and JSON Schema's."""
NO_TYPE = ("any", "Any", "")
SCHEMAS = {"properties": "named", "items": "one", "additionalProperties": "one"}
NOT_SCHEMA = ("default", "optional", "response")
SERVERS = {
    "time": (2, ["-m", "mcp_server_time"]),
    "git": (12, ["-m", "mcp_server_git"]),
    "fetch": (1, ["-m", "mcp_server_fetch"]),
    "sqlite": (6, ["-c", "from mcp_server_sqlite import main; main()", "--db-path", "test.db"]),
}


def json_schema(schema):
    """A schema of the leaderboard's dialect as JSON Schema."""
    if not isinstance(schema, dict):
        return schema
    found = {}
    for key, value in schema.items():
        if SCHEMAS.get(key) == "named":
            found[key] = {name: json_schema(part) for name, part in value.items()}
        elif SCHEMAS.get(key) == "one":
            found[key] = json_schema(value)
        elif key not in NOT_SCHEMA and not (key == "type" and value in NO_TYPE):
            found[key] = TYPES.get(value, value) if key == "type" else value
    return found


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
                    found[json.dumps(document["parameters"], sort_keys=True)] = json_schema(document["parameters"])
    return list(found.values())


def no_listed_value_fits(schema, pointer):
    """Whether the schema at that place lists only values that its own type does not allow."""
    for step in pointer.strip("/").split("/"):
        schema = schema[step]
    return not any(jsonschema_rs.is_valid({"type": schema["type"]}, value) for value in schema["enum"])


def test_function_documents_of_the_leaderboard_load_and_all_draws_are_valid():
    schemas = leaderboard()
    assert len(schemas) > 2000
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


def tools_of(command, folder):
    """What a server answers to `tools/list`."""
    messages = [
        {
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
    ) as server:
        server.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages))
        server.stdin.flush()
        answer = next(message for message in map(json.loads, server.stdout) if message.get("id") == 2)
        server.kill()
    return answer["result"]["tools"]


@pytest.mark.parametrize("name", SERVERS)
def test_tools_of_running_mcp_servers_load_and_all_draws_are_valid(name, tmp_path, monkeypatch):
    monkeypatch.setattr(property_based, "POOL_SIZE", 30)
    count, command = SERVERS[name]
    tools = tools_of(command, tmp_path)
    assert len(tools) == count
    for tool in tools:
        for source in ("realistic", "property_based"):
            values = arguments_of(tool_of(tool["inputSchema"], tool["name"]), 20, source=((source, 1.0),))
            assert [value for value in values if faults(tool["inputSchema"], value)] == []
