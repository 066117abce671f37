"""What answers calls: entities with state (`state`), results by `returns` schemas, and modules, servers and recordings (`backends`).

Results are consistent within a conversation. It may import the rooms from `arguments` down. Start reading at world.py, then backend.py.
"""

from generator.world.backend import Backend, compile_backend
from generator.world.llm import with_model
from generator.world.outcome import Worlds
from generator.world.world import SimulatedWorld

__all__ = ["Backend", "SimulatedWorld", "Worlds", "compile_backend", "with_model"]
