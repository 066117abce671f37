"""Readers of numbers in digits and in words, ordinals, percentages and money."""

import re

from generator.arguments.kinds.currencies import SIGNS
from generator.dialogue.values.read.reading import SpanContext, may_be_fraction

_match_number = re.compile(
    r"(?P<sign>-?)(?P<currency>[$€£]?)"
    r"(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?P<fraction>\.[0-9]+)?(?P<percent>%?)"
).fullmatch
_match_ordinal = re.compile(r"([1-9][0-9]*)(st|nd|rd|th)").fullmatch
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_MOST_DIGITS = 40


def _number_words() -> dict[str, int]:
    ones = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    teens = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
    tens = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    words = {"zero": 0, "ten": 10, "eleven": 11, "twelve": 12, "one hundred": 100, "a hundred": 100}
    words |= {word: number for number, word in enumerate(ones, 1)}
    words |= {word: number for number, word in enumerate(teens, 13)}
    for ten, word in enumerate(tens, 2):
        words[word] = ten * 10
        for one, last in enumerate(ones, 1):
            words[f"{word}-{last}"] = words[f"{word} {last}"] = ten * 10 + one
    return words


NUMBER_WORDS = _number_words()
"""Spelled numbers from 0 to 100."""


_OTHER_WORDS = {"single": 1, "a single": 1, "once": 1, "twice": 2, "a pair of": 2, "a dozen": 12} | {
    "a thousand": 1000,
    "one thousand": 1000,
}


def read_number(text: str, reading: SpanContext) -> int | float:
    """Return a number in digits, with or without commas between thousands."""
    if text.isdigit() and text.isascii() and (text[0] != "0" or text == "0") and len(text) < _MOST_DIGITS:
        return int(text)
    return _read_digits(text, "", "", reading)


def read_words(text: str, reading: SpanContext) -> int:
    """Return a spelled number up to one thousand."""
    found = spelled_number(text)
    if found is None:
        raise ValueError(f"{text!r} is not a spelled number")
    return found


def spelled_number(text: str) -> int | None:
    """Return a number in words up to one thousand: "twelve", "a dozen", "two hundred and fifty"; None for other texts."""
    lower = text.lower()
    found = NUMBER_WORDS.get(lower, _OTHER_WORDS.get(lower))
    hundreds, between, rest = lower.partition(" hundred")
    if found is not None or not between:
        return found
    many, more = NUMBER_WORDS.get(hundreds, 0), NUMBER_WORDS.get(rest.removeprefix(" and").removeprefix(" "), 0)
    is_whole = rest == "" or (rest[0] == " " and 0 < more < 100)
    return many * 100 + more if 0 < many < 10 and is_whole else None


def read_count(text: str, reading: SpanContext) -> int:
    """Return a count, in digits or spelled."""
    lower = text.lower()
    spelled = NUMBER_WORDS.get(lower, _OTHER_WORDS.get(lower))
    number = read_number(text, reading) if spelled is None else spelled
    if isinstance(number, float) or number < 0:
        raise ValueError(f"{text!r} does not say how many")
    return number


def read_counted(text: str, reading: SpanContext) -> int:
    """Return how many there are of what is named behind it; "no" is none."""
    return 0 if text.lower() == "no" else read_count(text, reading)


def read_ordinal(text: str, reading: SpanContext) -> int:
    """Return the number of an ordinal: `3rd` or `third` as 3."""
    lower = text.lower()
    spelled = _ORDINALS.get(lower)
    if spelled is not None:
        return spelled
    match = _match_ordinal(lower)
    if match is None or len(lower) > _MOST_DIGITS:
        raise ValueError(f"{text!r} is not an ordinal")
    number = int(match[1])
    if match[2] != ordinal_suffix(number):
        raise ValueError(f"{text!r} has the wrong ending")
    return number


def ordinal_suffix(number: int) -> str:
    """Return the ordinal suffix of a number: `th` of 11, `st` of 21."""
    if number // 10 % 10 == 1:
        return "th"
    return ("th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th")[number % 10]


def read_percent(text: str, reading: SpanContext) -> int | float:
    """Return a percentage as a share of one: `15%` as 0.15."""
    hundredths = _read_digits(text, "", "%", SpanContext())
    if isinstance(hundredths, int) and hundredths % 100 == 0:
        return hundredths // 100
    if not may_be_fraction(reading):
        raise ValueError(f"{text!r} is not a whole number")
    return float(f"{text[:-1].replace(',', '')}e-2")  # dividing would round twice


def read_percentage(text: str, reading: SpanContext) -> int | float:
    """Return a percentage: `15%` and "fifteen percent" as 15."""
    words, _, unit = text.lower().rpartition(" ")
    if unit in ("percent", "cent") and (number := NUMBER_WORDS.get(words.removesuffix(" per"))) is not None:
        return number
    return _read_digits(text, "", "%", reading)


def read_usd(text: str, reading: SpanContext) -> int | float:
    """Return US dollars: `$49.50` as 49.5."""
    return _read_money(text, "$", reading)


def read_eur(text: str, reading: SpanContext) -> int | float:
    """Return euros: `€49.50` as 49.5."""
    return _read_money(text, "€", reading)


def read_gbp(text: str, reading: SpanContext) -> int | float:
    """Return pounds sterling: `£49.50` as 49.5."""
    return _read_money(text, "£", reading)


_AMOUNT = re.compile(
    rf"(?:(?P<sign>{'|'.join(map(re.escape, SIGNS.values()))})|(?P<code>[A-Z]{{3}}) )(?P<amount>[0-9].*)"
)
_OF_SIGNS = {sign: code for code, sign in SIGNS.items()}


def read_money(text: str, reading: SpanContext) -> int | float:
    """Return an amount in whichever currency: `€49.50` as 49.5, `PLN 45` as 45."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount with its currency before it")
    return _read_money(match["amount"], "", reading)


def currency_in(text: str) -> str | None:
    """Return the code of the currency of an amount in digits; None for other texts."""
    match = _AMOUNT.fullmatch(text)
    return None if match is None else match["code"] or _OF_SIGNS[match["sign"]]


_MONEY_IN_WORDS = {
    "$": re.compile(r"(?:USD |US\$ ?|\$)?([0-9][0-9.,]*)(?:-dollar| (?:US )?dollars?| USD| bucks?)?", re.IGNORECASE),
    "€": re.compile(r"(?:EUR |€ ?)?([0-9][0-9.,]*)(?:-euro| euros?| EUR| ?€)?", re.IGNORECASE),
    "£": re.compile(
        r"(?:GBP |£ ?)?([0-9][0-9.,]*)(?:-pound| (?:British )?pounds?(?: sterling)?| GBP| quid)?", re.IGNORECASE
    ),
}


_SPOKEN_MONEY = {
    "$": re.compile(r"(?P<words>[a-z -]+) dollars?|\$(?P<thousands>[1-9][0-9]{1,2})k", re.IGNORECASE),
    "€": re.compile(r"(?P<words>[a-z -]+) euros?|€(?P<thousands>[1-9][0-9]{1,2})k", re.IGNORECASE),
    "£": re.compile(r"(?P<words>[a-z -]+) pounds?|£(?P<thousands>[1-9][0-9]{1,2})k", re.IGNORECASE),
}


def _spoken_money(text: str, currency: str) -> int | None:
    """Return an amount in words ("fifty dollars") or in thousands ("$25k"); None for others."""
    match = _SPOKEN_MONEY[currency].fullmatch(text)
    if match is None:
        return None
    if match["thousands"]:
        return int(match["thousands"]) * 1_000
    number = NUMBER_WORDS.get(match["words"].lower())
    if number is None or (number == 1) == text.lower().endswith("s"):
        raise ValueError(f"{text!r} is not an amount in words")
    return number


def _read_money(text: str, currency: str, reading: SpanContext) -> int | float:
    spoken = _spoken_money(text, currency) if currency and text[-1:].isalpha() else None
    if spoken is not None:
        return spoken
    match = _MONEY_IN_WORDS[currency].fullmatch(text) if currency else None
    if match is not None and match[1] != text:
        text = f"{currency}{match[1]}"
    if "." in text and text[-3:-2] != ".":
        raise ValueError(f"{text!r} does not have two decimals")
    return _read_digits(text, currency, "", reading)


def _read_digits(text: str, currency: str, percent: str, reading: SpanContext) -> int | float:
    match = _match_number(text)
    if match is None or match["currency"] != currency or match["percent"] != percent or len(text) > _MOST_DIGITS:
        raise ValueError(f"{text!r} is not {currency}number{percent} in digits")
    sign, fraction = match["sign"], match["fraction"]
    digits = f"{sign}{match['whole'].replace(',', '')}"
    if fraction is None:
        number: int | float = int(digits)
    elif may_be_fraction(reading):
        number = float(digits + fraction)
    else:
        raise ValueError(f"{text!r} is not a whole number")
    if sign and number == 0:
        raise ValueError(f"{text!r} is a zero with a sign")
    return number
