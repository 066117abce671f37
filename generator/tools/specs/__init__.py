"""Tool spec files: from YAML, JSON or JSONL to a toolbox. The language is described in docs/tool-specs.md."""

from generator.tools.specs.entities import table_files
from generator.tools.specs.load import digest_of_tools, load_toolbox
from generator.tools.specs.overlay_files import bank_of

__all__ = ["bank_of", "digest_of_tools", "load_toolbox", "table_files"]
