"""What answers a call: results made from the tools' `returns` schemas, consistent within a conversation."""

from generator.execution.backend import Backend, World, compile_backend

__all__ = ["Backend", "World", "compile_backend"]
