"""Questions with which the assistant asks for a value that the user withheld."""

from generator.connectives import ASKING_LEADS, COMING_BACK, questions_about
from generator.pointers import schema_at
from generator.seeds import Draw
from generator.toolbox import ToolSpec
from generator.wording.slots import spoken_name


def word_question(spec: ToolSpec, slot: str, draw: Draw, *, again: bool = False) -> tuple[str, int]:
    """A question for the value of a slot, and where it begins after its lead."""
    own = spec.phrases.ask.get(slot, ())
    lead = draw.choice(COMING_BACK if again else ASKING_LEADS)
    if not own:
        schema = schema_at(spec.tool.parameters, slot) or {}
        own = questions_about(spoken_name(slot), is_number=schema.get("type") == "integer")
    question = draw.choice(own)
    return lead + question, len(lead)
