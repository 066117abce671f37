"""Backends: what answers calls. Results are consistent within a conversation."""

from generator.world.backend import Backend, compile_backend
from generator.world.llm import with_model
from generator.world.outcome import Worlds
from generator.world.world import SimulatedWorld

__all__ = ["Backend", "SimulatedWorld", "Worlds", "compile_backend", "with_model"]
