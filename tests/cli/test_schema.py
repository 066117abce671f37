"""`schema` prints what editors read: one schema for recipes of data sets and of corpora."""

import json
from pathlib import Path

import pytest
from command import Command
from jsonschema import Draft202012Validator

from generator.core.documents import read_document
from generator.core.errors import RecipeError
from generator.corpus.mutations import MUTATIONS
from generator.formats import FORMATS
from generator.formats.wire.format import wire_formats
from generator.recipe.schema import recipe_schema
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.yaml"))


@pytest.fixture
def schema(cli: Command):
    ran = cli("schema")
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def test_prints_the_schema_of_recipes(schema):
    Draft202012Validator.check_schema(schema)
    expected = recipe_schema((*SCENARIOS, *DOCUMENT_SCENARIOS), FORMATS)
    assert schema["else"] == {key: part for key, part in expected.items() if key not in ("$schema", "$defs")}


def test_knows_the_names(cli: Command):
    out = cli("schema").out
    assert all(
        f'"{name}"' in out
        for name in (*SCENARIOS, *FORMATS, *wire_formats(), *MUTATIONS, "realistic", "property_based")
    )


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_shipped_recipe_is_in_it(schema, path):
    recipe = read_document(path, RecipeError).value
    assert [fault.message for fault in Draft202012Validator(schema).iter_errors(recipe)] == []


@pytest.mark.parametrize(
    "change",
    [
        {"case": 3},
        {"formats": ["hermez"]},
        {"mutations": {"truncat": 2}},
        {"mix": {"wrong": 1}},
        {"rows": 5},
        {"cases": 0},
    ],
    ids=str,
)
def test_faults_of_a_corpus_recipe_are_seen(schema, change):
    recipe = {"kind": "corpus", "name": "x", "cases": 5, "formats": ["hermes"]}
    validator = Draft202012Validator(schema)
    assert validator.is_valid(recipe)
    assert not validator.is_valid(recipe | change)
