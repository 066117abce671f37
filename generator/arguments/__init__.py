"""Argument values from JSON Schemas: realistic ones by default, adversarial ones from Hypothesis; kinds of values (`kinds`).

A schema is read into nodes (`reading`), compiled into closures (`sampling`), and every value is checked against the schema
before it is handed out. It may import the rooms from `formats` down. Start reading at sources.py.
"""

from generator.arguments.llm import AskedPools
from generator.arguments.sources import arguments_schema, check_schema, compile_source, compile_value
from generator.arguments.vocabulary.kinds import KINDS
from generator.arguments.vocabulary.prepared import check_locale, dump_pools, load_pools

__all__ = [
    "KINDS",
    "AskedPools",
    "arguments_schema",
    "check_locale",
    "check_schema",
    "compile_source",
    "compile_value",
    "dump_pools",
    "load_pools",
]
