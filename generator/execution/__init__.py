"""Backends: what answers calls. Results are consistent within a conversation."""

from generator.execution.backend import Backend, compile_backend
from generator.execution.llm import with_model
from generator.execution.outcome import Worlds
from generator.execution.world import SimulatedWorld

__all__ = ["Backend", "SimulatedWorld", "Worlds", "compile_backend", "with_model"]
