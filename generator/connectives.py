"""The words between phrases: openers, conjunctions, leads, thanks.

Plain data that the wording draws from and the proof reads: a text holds nothing but its values, the phrases of its
tools and these words. A choice that is listed several times is drawn that much more often.
"""

import re
from collections.abc import Iterable, Mapping

Frame = tuple[str, str]
"""What stands before a clause and after it."""

# --- the user asks ---

OFTEN: tuple[Frame, ...] = (
    *(("can you ", "?"), ("could you ", "?"), ("would you ", "?")),
    *(("please ", "."), ("", "."), ("", "."), ("", "."), ("", ", please.")),
)
SELDOM: tuple[Frame, ...] = (
    *(("could you please ", "?"), ("can you please ", "?")),
    *(("I need you to ", "."), ("go ahead and ", ".")),
    *(("would you be able to ", "?"), ("please could you ", "?"), ("do you think you could ", "?")),
    *(("it would be great if you could ", "."), ("I was hoping you could ", "."), ("I'd appreciate it if you could ", ".")),
)
ASKING: tuple[Frame, ...] = (*OFTEN, *OFTEN, *SELDOM)
WISHING: tuple[Frame, ...] = (("I'd like to ", "."), ("I want to ", "."), ("I need to ", ".")) * 2
LOOKING_UP: tuple[Frame, ...] = (("I want to ", "."), ("help me ", "."))
FOR_ME: tuple[Frame, ...] = (("can you ", " for me?"), ("could you ", " for me?"))
"""Ways to ask for a verb phrase; more than one of the last kind in a message is too many."""
WANTING: tuple[Frame, ...] = (("I need ", "."), ("I'd like ", "."), ("could I get ", "?"), ("I want ", "."), ("", ", please."))
"""Ways to ask for a noun phrase."""
NEEDING: tuple[Frame, ...] = (*WANTING, ("I'm looking for ", "."), ("can you get me ", "?"))
"""Ways to ask for one that is to be found; nobody looks for what is to be made."""
LIST_OPENERS = (
    *("Please {}:", "Can you {}:", "Could you {}?", "I need you to {}:", "{}:", "{}:", "{}:", "Could you please {}?"),
    *("I'd like you to {}:", "Would you {}?", "Can you help me {}:", "It would be great if you could {}:", "When you have a moment, {}:"),
)
"""What announces a list of calls; `{}` is what the tool does to several things."""
TODO_OPENERS = (
    *("Can you take care of these:", "Could you do these for me:", "A few things:", "Please do the following:"),
    *("Here's what I need:", "My list for you:", "I need help with a few things:", "Could you help me with these?"),
    *("Some things to sort out:", "Please work through this list:", "What I need from you:", "If you have a minute:"),
)
"""What announces a list of verb phrases."""
LIST_MARKS = ("\n- ", *[f"\n{number}. " for number in range(1, 100)])
"""What begins a line of such a list."""
GREETINGS = ("Hi, ", "Hey, ", "Hello, ", "Hi there, ", "Good morning, ", "Quick one: ", "Hey there, ")
THANKS = ("Thanks!", "Thank you!", "Thanks.", "Thanks in advance.", "Cheers!", "Much appreciated.")
AND_ALSO = ("Also, ", "And ", "One more thing: ", "Oh, and ", "While you're at it, ", "Plus, ", "In addition, ")
"""What begins a further sentence about another call."""
THEN = ("Then ",) * 5 + ("After that, ",) * 3 + ("Next, ", "Once you have that, ", "When that's done, ")
"""What begins a sentence about what to do with a result."""
FINALLY = "Finally, "

ASKING_TO_BE_TOLD = frozenset(
    ("check", "give", "how", "know", "list", "look", "looking", "pull", "read", "see", "show", "tell", "what", "what's", "when", "where", "which")
) | {"who", "i'd", "need", "options", "suggestions"}
"""Words of a sentence that asks for an answer, not only for something to be done."""

# --- joins within a sentence ---

SAME_TOOL = (" and ", ", and ", ", and also ", ", plus ")
"""Before the last call of a tool that the sentence has named already."""
SAME_TOOL_HEAVY = ("; ", "; and ")
"""Between such calls and before the last one, when they hold commas themselves."""
TWO_TOOLS = (" and ", ", and also ", " and also ", ", and ")
THEN_LINKS = (" and then ", ", then ", " and ")
"""Before what is to be done with a result, in the same sentence."""
LATER_LINKS = (", and finally ", ", and after that ")

OF = (" of ", " among ")
"""Between the words for one thing and those for what it is searched among: "the newest one of my tax files"."""
AMONG = ("of ", "out of ", "among ")
"""What begins a message with what is searched, where something else follows: "Of my tax files, delete the newest one."."""

# --- the user goes on ---

FURTHER = (
    *("Great, ", "OK, ", "Okay, ", "Thanks, ", "Perfect, ", "Good. ", "Thanks. ", "Alright, "),
    *("Got it, thanks. ", "Thank you. ", "Now ", "Okay, now ", "Great, thanks. "),
)
"""What begins a later message that asks for something."""
SWITCHING = (
    *("Hang on, ", "Wait, ", "Actually, first: ", "Before that: ", "One second. ", "Hold on, ", "Sorry, something else first: "),
    *("Just a second. ", "Before I forget: "),
)
"""What begins a message that asks for something else instead of answering a question."""
SAME_AGAIN: tuple[Frame, ...] = (
    *(("And ", "?"), ("And ", "?"), ("OK, and ", "?"), ("Thanks, and ", "?"), ("Great, and ", "?"), ("Okay. And ", "?")),
    *(("Same thing ", ", please."), ("Now the same ", ", please."), ("Okay, and ", "?")),
)
"""What stands around the frame of one value with which the request before is meant once more: "And in Rome?"."""
SAME_AGAIN_ALONE: tuple[Frame, ...] = (
    *(("What about ", "?"), ("How about ", "?"), ("And what about ", "?"), ("And ", "?"), ("And how about ", "?")),
    *(("OK, what about ", "?"), ("Thanks, and what about ", "?"), ("Great. What about ", "?")),
)
"""The same around the value alone: "What about Rome?"."""
CORRECTING: tuple[Frame, ...] = (
    *(("Sorry, I meant ", "."), ("Oh, I meant ", "."), ("No wait, ", ".")),
    *(("My mistake, I meant ", "."), ("Oops, I meant ", "."), ("That's not right, sorry. I meant ", ".")),
    *(("Wait, no, ", "."), ("No, sorry, ", "."), ("Actually no, ", ".")),
)
"""What stands around a value, or its frame, with which the user takes back what they said of it before."""
REGRETTING = (
    *("Sorry, I've changed my mind.", "On second thought, no.", "Oh no, that was a mistake.", "Hm, that isn't what I wanted."),
    *("Wait, I don't need that after all.", "Sorry, my plans have changed.", "Actually, I won't need that.", "Oops, I didn't mean to do that."),
)
"""What a user says before asking for what was done to be undone."""
MISTAKEN = (
    *("Oops, I got that wrong.", "Sorry, I made a mistake.", "Oh no, I mixed something up.", "Wait, that was wrong.", "Sorry, that was my mistake."),
    *("Ah, I gave you the wrong details.", "Hm, I got something wrong there."),
)
"""The same where something else is wanted in its place."""
LEADING = frozenset(
    ("about", "above", "across", "against", "among", "around", "at", "by", "close", "for", "from", "in", "near", "on")
) | {"over", "to", "under"}
"""What a frame begins with when it can be said by itself to change one thing: "And near Sofia?", not "And called Bo?"."""
REPLYING: tuple[Frame, ...] = (
    *(("", "."), ("", "."), ("", "."), ("", ", please."), ("", ", please."), ("", ", thanks.")),
    *(("Oh right, ", "."), ("Oh, sorry: ", "."), ("Ah yes, ", "."), ("Ah, sorry: ", ".")),
)
"""What stands around the value alone when the user was asked for it."""
CHOOSING: tuple[Frame, ...] = (("Let's say ", "."), ("Let's go with ", "."), ("Make it ", "."))
"""The same where the value is one of many that would do: a day, a time, a number."""
REPLYING_IN_A_FRAME: tuple[Frame, ...] = (("", "."), ("", "."), ("", ", please."), ("", ", thanks."))
ANSWERING = frozenset({"around", "at", "by", "from", "in", "near", "on", "over"})
"""What such a frame begins with."""

# --- the assistant asks ---

ASKING_LEADS = ("", "", "", "Sure. ", "Of course. ", "Happy to help. ", "Sure thing. ", "I can do that. ")
COMING_BACK = (
    *("Now back to your first request. ", "Back to what you asked before. ", "That leaves your first request. "),
    *("Now for your first request. ", "Your first request is still open. ", "Now, back to the other request. "),
)
"""Before a question that was asked already and is still open."""
QUESTIONS = (
    "What's the {}?",
    "What {} should I use?",
    "Could you tell me the {}?",
    "Which {} do you have in mind?",
    "Can you give me the {}?",
)
"""Questions for a value by the name of its slot, where the tool's phrases have none of their own."""
QUESTIONS_FOR_SEVERAL = (
    "What are the {}?",
    "Which {} should I use?",
    "Could you tell me the {}?",
    "Which {} do you have in mind?",
)
"""The same where the name is that of several things: "What are the toppings?"."""
QUESTIONS_FOR_A_NUMBER = ("How many {}?", "How many {} should it be?", "Could you tell me how many {}?")
"""The same where the value is how many there are: "How many guests?"."""


def questions_about(name: str, *, is_number: bool) -> tuple[str, ...]:
    """Return questions for a value by the words of its name.

    Args:
        name: The words, such as `departure date`; empty when the name cannot be spoken.
        is_number: Whether the value is a whole number.
    """
    last = name.rpartition(" ")[2]
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is", "ics")) and last not in _NO_PLURALS
    forms = QUESTIONS if not is_plural else QUESTIONS_FOR_A_NUMBER if is_number else QUESTIONS_FOR_SEVERAL
    return tuple([form.format(name or "value") for form in forms])


_NO_PLURALS = frozenset({"alias", "canvas", "gps", "lens", "news", "series", "sms", "gas", "bias", "atlas", "https"})

REFUSING_A_NUMBER = (
    *("It has to be between {low} and {high}.", "It can only be from {low} to {high}.", "That's out of range: it goes from {low} to {high}."),
    *("That isn't possible. Anything from {low} to {high} works.", "I can only do {low} to {high}."),
)
"""What the assistant says of a number that a tool does not accept."""
REFUSING_MORE = ("That's too much: {high} is the most.", "The most I can do is {high}.", "It can't be more than {high}.")
REFUSING_LESS = ("That's too little: it has to be at least {low}.", "The least I can do is {low}.", "It can't be less than {low}.")
"""The same of a number that is too large or too small."""
REFUSING_A_CHOICE = (
    *("That's not one of the options: it can be {options}.", "I can only offer {options}.", "That isn't available. You can choose {options}."),
    *("It has to be {options}.", "I don't have that. The options are {options}."),
)
"""The same of a choice that there is not."""
SETTLING: tuple[Frame, ...] = (
    *(("", "."), ("", ", please."), ("Ah, sorry: ", "."), ("", " then."), ("", " then, please."), ("OK, ", " then."), ("Then ", "."), ("All right, ", ".")),
    *(("Oh, OK. ", " then."), ("Fine, ", "."), ("Let's say ", "."), ("Make it ", " then.")),
)
"""What stands around the value that the user gives instead."""

# --- the assistant answers ---

OFFERS = (
    "Let me know if you need anything else.",
    "Anything else I can help with?",
    "Is there anything else you'd like me to do?",
    "Just say the word if you want to change anything.",
)
FOUND = ("Here's what I found:", "Here you go:", "Here's what came back:", "Here are the results:")
DONE = ("All done:", "Done. Here's where things stand:", "That's all taken care of:", "All sorted:")
BOTH = ("Here's the rundown:", "Here you go:", "Here's where things stand:", "Here's a quick summary:")

# --- the assistant says what it did not do, or would do ---

FAILING = ("I couldn't ", "I wasn't able to ", "Sorry, I couldn't ", "Unfortunately, I couldn't ", "I'm afraid I couldn't ")
"""Before the verb phrase of a call that failed."""
FAILING_AGAIN = ("I tried twice, but I couldn't ", "Even on a second try I couldn't ", "I tried again, but still couldn't ")
"""The same where the call was made twice."""
REASONS = (": ", ": ", " because ")
"""Between that phrase and the error."""
FAILED = (
    *("That didn't work: ", "That failed: ", "It didn't go through: ", "I couldn't do that: ", "I wasn't able to do that: "),
    *("Sorry, that didn't work: ", "I'm afraid that didn't work: "),
)
FAILED_AGAIN = ("I tried twice, but ", "I tried it a second time, but ", "It failed twice: ")
"""Before the error alone."""
SO_NOT = (", so I couldn't ", ", so I wasn't able to ")
"""Between the error and the verb phrase."""

PROPOSING: tuple[Frame, ...] = (
    *(("I'd ", ". Shall I go ahead?"), ("I'm about to ", ". Is that right?"), ("Just to confirm: I'll ", ". OK?")),
    *(("I would ", ". Go ahead?"), ("To be sure: you want me to ", ". Correct?"), ("I'm going to ", ". Shall I?")),
)
"""Around the verb phrase of a call for which the assistant asks leave."""
FINDING_NOTHING: tuple[Frame, ...] = (
    *(("I tried to ", ", but nothing came up."), ("I tried to ", ", but there were no results."), ("I tried to ", ", but found nothing.")),
    *(("I tried to ", ", but the search came back empty."), ("When I tried to ", ", I got no results at all.")),
    *(("Sorry, nothing came up when I tried to ", "."), ("I got an empty list when I tried to ", ".")),
)
"""Around the verb phrase of a search that found nothing."""
OFFERING: tuple[Frame, ...] = (
    *(("Shall I take ", " instead?"), ("Should I take ", " instead?"), ("I could take ", " instead. Shall I?")),
    *(("Do you want me to take ", " instead?"), ("Should I go for ", " instead?"), ("I can offer you ", " instead. Shall I take that?")),
)
"""Around another element of a list, where a call with the first one failed."""
WIDENING = (
    *("Should I try it without the {}?", "Shall I leave out the {}?", "Do you want me to look without the {}?"),
    *("Should I search again without the {}?", "I could leave out the {}. Shall I?", "Shall I look again without the {}?"),
)
"""What the assistant offers after a search that found nothing; `{}` is the name of an argument."""
AGREEING = (
    *("Yes, please.", "Yes.", "Go ahead.", "Yes, go ahead.", "Sure, do it.", "OK, do it.", "Please do.", "Yep, go for it."),
    *("Sure, please do.", "Yes, do that.", "OK, yes.", "Fine, please do that."),
)
"""What the user says to these offers."""
IF_NOTHING = (
    *("If there's nothing, leave out the {}.", "If nothing comes up, try it without the {}.", "If you find nothing, look again without the {}."),
    *("If there are none, forget about the {}.", "Should nothing come up, drop the {}.", "If that gives nothing, search without the {}."),
)
"""What the user adds to the request for a search."""
LEFT_OUT = (
    *("So I left out the {}.", "So I looked again without the {}.", "So I tried it without the {}.", "I then searched without the {}."),
    "So I dropped the {}.",
)
"""What the assistant says after it has done so."""


def argument_name(words: str) -> str:
    """Return the name of an argument as people speak of it, without a unit; an empty text where it is none.

    Args:
        words: The words of its name: `max price per night` gives "maximum price per night", `open now` nothing.
    """
    first, _, rest = measure_in_field("_".join(words.split()))[0].partition(" ")
    name = " ".join([_LIMITS.get(first, first), rest]) if rest else first
    return "" if name in _LIMITS or not name or not _NO_NOUNS.isdisjoint((first, name.rpartition(" ")[2])) else name


_LIMITS = {"max": "maximum", "min": "minimum"}
_NO_NOUNS = frozenset(
    ("after", "before", "by", "since", "until", "earliest", "latest", "now", "only", "id", "ids", "dietary", "within", "to", "from", "at")
) | {"in", "on", "is", "has", "days", "hours", "minutes", "covered", "include", "exclude", "all", "any"}
"""Words that an argument's name has at its beginning or end where nobody would say "the …" of it."""
LETTING = (
    *("Yes, please.", "Yes.", "Go ahead.", "Yes, go ahead.", "Sure, do it.", "That's right, go ahead.", "OK, do it."),
    *("Please do.", "Yes, that's right.", "Yep, go for it.", "Correct, thanks."),
)
LETTING_BUT = ("Yes, but", "Yes, but", "OK, but", "Sure, but", "Go ahead, but", "Yes please, but")
"""What begins a yes that changes one value: "Yes, but for two people."."""
FORBIDDING = (
    *("No, leave it.", "No, don't.", "Hold off for now.", "No, I've changed my mind.", "Wait, don't do that."),
    *("No, thanks. Leave it as it is.", "Actually, no.", "Not yet, please.", "No, forget it."),
)
"""What the user says to that."""
LEFT = (
    *("OK, I left it as it is.", "Alright, nothing was changed.", "OK, I haven't done anything.", "No problem, I won't do it."),
    *("Understood, I leave everything as it is.", "All right, nothing has been done."),
)
"""What the assistant says when it was not let."""

CONDITIONS = ("If the ", "If the ", "If it turns out that the ", "Should it turn out that the ")
"""What begins a sentence about something to be done under a condition, before the name of a field."""
COMPARED: dict[str, tuple[str, ...]] = {
    "is": (" is ",),
    "over": (" is over ", " is above ", " is higher than "),
    "under": (" is under ", " is below ", " is lower than "),
}
"""Between the field and the value that it is compared with."""
THEREFORE = (", ", ", please ", ", then ")
"""Between the condition and what is to be done."""
UNTRUE = (
    *(", so I left it at that.", ", so I did nothing further.", ", so I didn't do the rest."),
    *(", so there was no need to go on.", ", so nothing else was done."),
)
"""After the value that a result has, where the condition is not fulfilled."""

# --- which of several results is best ---

COMPARING = ("Which one has {}?", "Which of them has {}?", "I'd like to know which one has {}.", "Tell me which one has {}.", "Which has {}?")
"""What the user adds to a request for several results; `{}` is what the best of them has."""
BEST_IS = ("{name} has {best}: {value}.", "The one with {best} is {name}: {value}.", "It's {name} that has {best}: {value}.")
BEST_ARE = ("{name} are tied for {best}: {value}.", "{name} share {best}: {value}.", "It's a tie between {name} for {best}: {value}.")
"""What the assistant says of the best one, and of several that are equally good."""
_EXTREMES = {
    "number": {"min": "the lowest {}", "max": "the highest {}"},
    "length": {"min": "the shortest {}", "max": "the longest {}"},
    "several": {"min": "the fewest {}", "max": "the most {}"},
}
_LENGTHS = frozenset({"delay", "distance", "duration", "length", "time", "wait", "way"})
_UNITS = {
    "km": " km", "kmh": " km/h", "m": " m", "mm": " mm", "cm": " cm", "mb": " MB", "gb": " GB", "kg": " kg", "g": " g",
    "percent": "%", "kwh": " kWh", "kw": " kW", "minutes": " minutes", "hours": " hours", "days": " days", "seconds": " seconds",
}
"""The last word of a field's name that is a unit, and how it is written after the number."""


def measure_in_field(field: str) -> tuple[str, str]:
    """Return what a number measures and its unit, as the name of its field tells: ("wind speed", " km/h")."""
    *words, last = field.split("_")
    return (" ".join(words), _UNITS[last]) if words and last in _UNITS else (field.replace("_", " "), "")


def unit_in_sentences(texts: Iterable[str], field: str) -> str:
    """Return the unit that sentences write right behind a field: "%", "°C", or "°" where it may be Celsius or Fahrenheit."""
    units = {unit for text in texts for unit in re.findall(rf"\{{{field}\}}(%|°[CF]\b)", text)}
    return units.pop() if len(units) == 1 else "°" if units == {"°C", "°F"} else ""


def field_in_words(known: Mapping[str, str], texts: Iterable[str], field: str) -> tuple[str, str]:
    """Return what people call a field of a result, and the unit of its value: ("chance of rain", "%").

    Args:
        known: Words that the tool has for its fields.
        texts: The sentences in which it tells its results.
        field: The field.
    """
    name, unit = (known[field], "") if field in known else measure_in_field(field)
    return name, unit or unit_in_sentences(texts, field)


def the_best(field: str, extreme: str) -> str:
    """Return the words for the least or the most in a field: "the lowest index", "the shortest delay"."""
    name = measure_in_field(field)[0]
    last = name.rpartition(" ")[2]
    kind = "length" if last in _LENGTHS else "several" if last.endswith("s") and not last.endswith("ss") else "number"
    return _EXTREMES[kind][extreme].format(name)


# --- arguments that nobody wrote phrases for ---

PREPOSITIONS = (
    (frozenset({"from", "origin", "source", "departure"}), "from"),
    (frozenset({"to", "destination", "recipient", "target"}), "to"),
    (frozenset({"date", "day"}), "on"),
    (frozenset({"time"}), "at"),
    (
        frozenset({"city", "country", "location", "place", "region", "town", "language", "currency", "unit", "units"}),
        "in",
    ),
)
"""Words in the name of an argument, and what is said before its value then instead of the name; the last one counts."""
