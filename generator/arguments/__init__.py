"""Argument values from JSON Schemas: realistic ones by default, adversarial ones from Hypothesis.

Start reading at sources.py. A schema is read into nodes (schema.py), compiled into closures (realistic.py), and
every value is checked against the schema before it is handed out.
"""

from generator.arguments.other_sources.llm import AskedPools
from generator.arguments.sources import arguments_schema, check_schema, compile_source, compile_value
from generator.arguments.vocabulary.kinds import KINDS
from generator.arguments.vocabulary.locales import check_locale
from generator.arguments.vocabulary.prepared import dump_pools, load_pools
from generator.recipe import ArgumentSettings, Override

__all__ = [
    "KINDS",
    "ArgumentSettings",
    "AskedPools",
    "Override",
    "arguments_schema",
    "check_locale",
    "check_schema",
    "compile_source",
    "compile_value",
    "dump_pools",
    "load_pools",
]
