"""Readers of tools: one module for each kind of source.

Readers of documents have `KIND`, `recognises(value)` and `read(document, domain)`; they are tried in this order, and the
last takes what no other does. Python modules are read by importing them in a child process (`python.py`), MCP servers
by asking them (`mcp_live.py`).
"""

from generator.tools.specs.readers import anthropic, bfcl, declared, mcp, openai, openapi, portable
from generator.tools.specs.readers.python import FUNCTIONS, TOOLS

READERS = {reader.KIND: reader for reader in (openapi, portable, mcp, anthropic, bfcl, declared, openai)}
MODULES = (TOOLS, FUNCTIONS)
LIVE = "mcp-live"
KINDS = (*READERS, *MODULES, LIVE)
"""Words of `--from` and `from:`."""

__all__ = ["FUNCTIONS", "KINDS", "LIVE", "MODULES", "READERS", "TOOLS"]
