"""Readers of tools: of documents, by kind (`documents.py`); of Python modules and MCP servers, which are run (`live.py`)."""

from generator.tools.specs.readers.documents import READERS
from generator.tools.specs.readers.live import FUNCTIONS, TOOLS

MODULES = (TOOLS, FUNCTIONS)
LIVE = "mcp-live"
KINDS = (*READERS, *MODULES, LIVE)
"""Words of `--from` and `from:`."""

__all__ = ["FUNCTIONS", "KINDS", "LIVE", "MODULES", "READERS", "TOOLS"]
