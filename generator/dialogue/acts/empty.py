"""Empty: the assistant says that a search found nothing."""

from collections.abc import Iterator

from generator.core.planning import Step
from generator.core.pointers import resolve
from generator.core.yaml_values import own_data
from generator.dialogue.acts.leave import either_stop
from generator.dialogue.proof.ledger import Act, ClaimedCall, Sentence
from generator.dialogue.proof.tongues import DOINGS
from generator.dialogue.wording.clauses import WordedWish, said_by_user
from generator.dialogue.wording.doing import framed
from generator.dialogue.wording.transcript import Transcript

_FORMS: list[str] = own_data(__file__)["forms"]


def tell(talk: Transcript, step: Step, place: int) -> None:
    """Add that a search found nothing: "I tried to find the open tickets about billing, but nothing came up."."""
    made = step.made[place]
    book = talk.books[made.name]
    limit = None if book.spec.effect is None else book.spec.effect.limit
    linked = {link.argument for link in book.spec.links}  # who knows which account is meant needs no number of it
    arguments = {name: value for name, value in made.arguments.items() if name not in linked} or made.arguments
    naming = [slot for slot in said_by_user(WordedWish(book, 0, arguments, {})) if slot != limit]
    talk.tell_apart(framed(_FORMS, book, arguments, made.id, naming, talk.draw, talk.answering), made.id, "empty")


def finds_nothing(made: ClaimedCall) -> bool:
    """Whether a search returned an empty list."""
    effect = made.spec.effect
    if made.failed or effect is None or effect.kind != "find":
        return False
    try:
        return bool(resolve(made.result, effect.at) == [])
    except LookupError:
        return False


def _faults(sentence: Sentence) -> Iterator[str]:
    if not sentence.made.told_at < sentence.index or not finds_nothing(sentence.made):
        yield "the search found something"


ACTS = (Act("empty", "assistant", "PF120", lambda sentence: either_stop(_FORMS), _faults, DOINGS),)
