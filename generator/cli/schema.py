"""`schema`: the recipe language for editors."""

import json

import click


@click.command(short_help="Print the JSON Schema of recipes.")
@click.option("--scripts", is_flag=True, help="The schema of files of scripts instead.")
def schema(scripts: bool) -> None:
    """Print the JSON Schema of recipes (of data sets, and of corpora for parsers), with which editors complete and check them."""
    click.echo(scripts_schema_text() if scripts else schema_text())


def scripts_schema_text() -> str:
    """Return the schema of files of scripts as it is printed."""
    from generator.scenarios.scripts import scripts_schema

    return json.dumps(scripts_schema(), indent=2, ensure_ascii=False)


def schema_text() -> str:
    """Return the schema as it is printed."""
    from generator.corpus.clients import CLIENT_FORMATS
    from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
    from generator.corpus.rows import row_formats
    from generator.formats import FORMATS
    from generator.formats.wire.format import wire_formats
    from generator.recipe import corpus_schema, either_schema, recipe_schema
    from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

    data_set = recipe_schema({**SCENARIOS, **DOCUMENT_SCENARIOS}, FORMATS)
    corpus = corpus_schema(wire_formats(), row_formats(), (*MUTATIONS, AMBIGUOUS), CLIENT_FORMATS)
    return json.dumps(either_schema(data_set, corpus), indent=2, ensure_ascii=False)
