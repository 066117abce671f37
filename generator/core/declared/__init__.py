"""Structs that declare what a file may hold: read strictly, and described to editors.

A field is annotated with `msgspec.Meta` (limits, a pattern) and, where it is written otherwise than it is held, with what
`generator.core.forms` has. `read` checks a value and makes the struct of it; `schema_of` writes the same as JSON Schema. A field of
type `Path` is a file relative to the one that names it.
"""

from generator.core.declared.json_schema import schema_of
from generator.core.declared.reading import beside, gone_keys, read

__all__ = ["beside", "gone_keys", "read", "schema_of"]
