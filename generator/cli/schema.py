"""`schema`: the recipe language for editors."""

import json

import click


@click.command(short_help="Print the JSON Schema of recipes.")
def schema() -> None:
    """Print the JSON Schema of recipes, with which editors complete and check them."""
    from generator.formats import FORMATS
    from generator.recipe import recipe_schema
    from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

    click.echo(json.dumps(recipe_schema({**SCENARIOS, **DOCUMENT_SCENARIOS}, FORMATS), indent=2, ensure_ascii=False))
