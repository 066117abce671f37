"""Questions with which the assistant asks for a value that the user withheld."""

from generator.connectives import ASKING_LEADS, COMING_BACK, QUESTIONS
from generator.seeds import Draw
from generator.toolbox import ToolSpec
from generator.wording.slots import spoken_name


def word_question(spec: ToolSpec, slot: str, draw: Draw, *, again: bool = False) -> tuple[str, int]:
    """A question for the value of a slot, and where it begins after its lead."""
    own = spec.phrases.ask.get(slot, ())
    lead = draw.choice(COMING_BACK if again else ASKING_LEADS)
    question = draw.choice(own) if own else draw.choice(QUESTIONS).format(spoken_name(slot) or "value")
    return lead + question, len(lead)
