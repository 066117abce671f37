"""Free text as people type it: short hand-made grammars, written out into pools when first used."""

from datetime import date
from itertools import product

from generator.arguments.vocabulary.words import EVENTS, PRODUCTS, TOPICS
from generator.seeds import Draw, stream_seed

_PARTS = {
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "the weekend", "tomorrow", "next week"),
    "thing": (
        "the contract", "the slides", "the invoice", "the budget", "the floor plan", "the guest list", "the report",
        "the itinerary", "the photos", "the agenda",
    ),
    "who": ("my sister", "the landlord", "our neighbors", "the whole team", "my parents", "the new client", "the kids"),
    "room": ("kitchen", "bathroom", "hallway", "garage", "bedroom", "office"),
    "device": ("laptop", "phone", "printer", "washing machine", "dishwasher", "robot vacuum", "television", "speaker"),
    "event": EVENTS,
    "product": PRODUCTS,
    "topic": TOPICS,
}  # fmt: skip
_GRAMMARS: dict[str, tuple[str, ...]] = {
    "message": (
        "Running a bit late, I'll be there soon.",
        "Could you send me {thing} before {day}?",
        "Thanks for your help with {thing}!",
        "Can we move the {event} to {day}?",
        "I just sent you {thing}, let me know what you think.",
        "Don't forget the {event}!",
        "Are you free for a quick call on {day}?",
        "I can't make it to the {event}, sorry!",
        "Please have a look at {thing} when you get a chance.",
        "Dinner at our place on {day}?",
        "Great job on the {event}, everyone was happy.",
        "Could you pick up some milk on the way home?",
        "I'll bring {thing} to the {event}.",
        "The {event} has been moved, see you then.",
        "Happy birthday! Hope you have a wonderful day.",
    ),
    "note": (
        "Bring {thing}",
        "Ask {who} about the {event}",
        "Please ring the bell twice",
        "Leave it with {who} if nobody is home",
        "Talk to {who} first",
        "Needs to be ready by {day}",
        "Call back on {day}",
        "Gift wrap it, please",
        "Window seat if possible",
        "Allergic to nuts",
        "It's for the {event}",
        "Check {thing} again before sending",
        "The {room} light is still flickering",
        "Prefers to be reached in the afternoon",
        "Paid in cash",
    ),
    "title": (
        "Plan the {event}",
        "Prepare {thing}",
        "Call {who}",
        "Clean the {room}",
        "Buy a new {device}",
        "Send {thing} to {who}",
        "Notes on {topic}",
        "Ideas for the {event}",
        "Renew the car insurance",
        "Book the train tickets",
        "Water the plants",
        "Order more printer paper",
        "Pick up the dry cleaning",
        "Review {thing}",
        "Fix the {room} door",
    ),
    "subject": (
        "Question about {thing}",
        "{event} on {day}",
        "Update on {thing}",
        "Invitation to the {event}",
        "Follow-up from {day}",
        "Change of plans for {day}",
        "Thank you for coming to the {event}",
        "Quick question",
        "Documents for {who}",
        "Feedback on {thing}",
    ),
    "query": (
        "{topic}",
        "{product}",
        "best {product}",
        "how to start with {topic}",
        "{topic} for beginners",
        "{product} on sale",
        "{topic} courses",
        "ideas for a {event}",
        "compare {product} reviews",
    ),
    "review": (
        "Great quality, would buy it again.",
        "The {product} arrived on time and works well.",
        "Not worth the price, sadly.",
        "Friendly staff and quick service.",
        "Exactly what I was looking for.",
        "The {product} stopped working after a week.",
        "Good value, but the color looks different.",
        "Lovely place, a little noisy in the evening.",
        "Bought it for {who}, they love it.",
        "Shipping took far too long.",
    ),
    "problem": (
        "The {device} does not turn on",
        "The {room} tap is leaking",
        "I was charged twice for the {device}",
        "The app closes when I open {thing}",
        "The {device} arrived broken",
        "I can't sign in since {day}",
        "The heating in the {room} is not working",
        "There is a part missing from the {device}",
        "The printer shows a paper jam",
        "My order has not arrived yet",
        "The internet keeps dropping in the {room}",
    ),
    "reason": (
        "changed my mind",
        "found a better price",
        "the size is wrong",
        "it arrived damaged",
        "ordered by mistake",
        "no longer needed",
        "the color is different",
        "family visit",
        "doctor's appointment",
        "moving to another city",
        "it does not fit the {room}",
        "the {event} was called off",
    ),
    "sentence": (
        "The {event} is planned for {day}.",
        "We still need {thing} from {who}.",
        "Everything for the {event} is ready.",
        "A short introduction to {topic}.",
        "{who} will take care of {thing}.",
        "The {room} needs a new {device}.",
        "Remember to bring {thing} on {day}.",
        "This is a summary of what we discussed on {day}.",
        "Put the {product} back on the shelf in the {room}.",
        "A few thoughts on {topic} and where to begin.",
    ),
}
TEXTS = tuple(_GRAMMARS)
_OF_EACH = 24


def write_texts(name: str) -> tuple[str, ...]:
    """Texts of a grammar, up to two dozen of each template."""
    draw = Draw(stream_seed("texts", name), date.min)
    found: list[str] = []
    for template in _GRAMMARS[name]:
        slots = [slot for slot in _PARTS if "{" + slot + "}" in template]
        for words in draw.shuffled(list(product(*[_PARTS[slot] for slot in slots])))[:_OF_EACH]:
            text = template.format(**dict(zip(slots, words, strict=True)))
            found.append(text if name in {"query", "reason"} else text[0].upper() + text[1:])
    return tuple(dict.fromkeys(found))
