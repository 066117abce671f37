"""`schema` prints what editors read."""

import json

from command import Command
from jsonschema import Draft202012Validator

from generator.formats import FORMATS
from generator.recipe import recipe_schema
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS


def test_prints_the_schema_of_recipes(cli: Command):
    ran = cli("schema")
    schema = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    Draft202012Validator.check_schema(schema)
    assert schema == recipe_schema({**SCENARIOS, **DOCUMENT_SCENARIOS}, FORMATS)


def test_knows_the_names(cli: Command):
    out = cli("schema").out
    assert all(f'"{name}"' in out for name in (*SCENARIOS, *FORMATS, "realistic", "property_based"))
