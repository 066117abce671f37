"""Numbers in digits and in words, ordinals, percentages and money, said and read."""

import re
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from generator.arguments.kinds.units import SIGNS
from generator.core.yaml_values import own_data
from generator.dialogue.values.voice import SpanContext, Verbalizer, Voice, expected, may_be_fraction, refuse_if

_WORDS: dict[str, Any] = own_data(__file__)
_ONES: list[str] = _WORDS["ones"]
SPELLED: tuple[str, ...] = (
    *_ONES,
    *(ten if one == 0 else f"{ten}-{_ONES[one]}" for ten in _WORDS["tens"] for one in range(10)),
    "one hundred",
)
"""Words for 0 to 100."""
ORDINAL_WORDS: list[str] = _WORDS["ordinals"]
"""Words for the places 0 to 31 in an order."""
_SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}

_COMMA_FROM = 10_000
"""The smallest number written with commas: smaller ones may be years or codes."""
_MONEY_COMMA_FROM = 1_000
_INTEGER_LIMIT = 10**18
_MONEY_LIMIT = 10**12
_SMALLEST = 1e-9
_MOST_IN_SPEECH = 100
_MOST_SHORT = 12
_ROUND, _MOST_ROUND = 50, 1_000
"""What round numbers are multiples of, and the greatest that is said in words."""


def ordinal_digits(number: int) -> str:
    """Return an ordinal in digits: `3` as "3rd"."""
    rest = number % 100
    return f"{number}{_SUFFIXES.get(rest if rest < 24 else rest % 10, 'th')}"


def small_number(number: int, voice: Voice) -> str:
    """Return a whole number as this speaker writes it beside a unit."""
    return (
        SPELLED[number]
        if voice.small_numbers_as_words
        and (1 <= number <= _MOST_SHORT or (number % 10 == 0 and 0 < number <= _MOST_IN_SPEECH))
        else str(number)
    )


def say_number(value: Any, voice: Voice) -> str | None:
    """Return a number in digits; commas only from ten thousand on, so that years and codes have none."""
    if type(value) is int:
        if -_COMMA_FROM < value < _COMMA_FROM:
            return str(value)
        text = str(value) if -_INTEGER_LIMIT < value < _INTEGER_LIMIT else None
    else:
        text = _float_digits(value) if type(value) is float else None
    if text is None or not voice.thousands_comma or -_COMMA_FROM < value < _COMMA_FROM:
        return text
    whole, point, fraction = text.partition(".")
    return f"{int(whole):,}{point}{fraction}"


def say_digits(value: Any, voice: Voice) -> str | None:
    """Return a whole number that counts nothing, such as an ID, in digits without commas."""
    return str(value) if type(value) is int and -_INTEGER_LIMIT < value < _INTEGER_LIMIT else None


def say_words(value: Any, voice: Voice) -> str | None:
    """Return a whole number in words: one up to a hundred, or a round one up to a thousand, "two hundred and fifty"."""
    if type(value) is not int or not 0 <= value <= _MOST_ROUND or (value > _MOST_IN_SPEECH and value % _ROUND):
        return None
    if value <= _MOST_IN_SPEECH:
        return SPELLED[value]
    if value == _MOST_ROUND:
        return "a thousand"
    hundreds, rest = divmod(value, 100)
    between = " and " if voice.date_style == "day_first" else " "
    return f"{_ONES[hundreds]} hundred" + (f"{between}{SPELLED[rest]}" if rest else "")


def say_count(value: Any, voice: Voice) -> str | None:
    """Return a count in digits, or a small one in words when the speaker likes that."""
    if type(value) is not int or value < 0:
        return None
    return SPELLED[value] if voice.small_numbers_as_words and 1 <= value <= 10 else say_number(value, voice)


def say_counted(value: Any, voice: Voice) -> str | None:
    """Return how many there are of what is named behind it: "no" stops, 2 stops."""
    return None if type(value) is not int or value < 0 else say_number(value, voice) if value else "no"


def say_ordinal(value: Any, voice: Voice) -> str | None:
    """Return an ordinal: "3rd", or "third" when the speaker likes words."""
    if type(value) is not int or not 1 <= value < _COMMA_FROM:
        return None
    return ORDINAL_WORDS[value] if voice.small_numbers_as_words and value <= 10 else ordinal_digits(value)


def say_percent(value: Any, voice: Voice) -> str | None:
    """Return a share of one as a percentage: `0.15` as "15%"."""
    if type(value) is int:
        return f"{value}00%" if 0 < value <= 100 else "0%" if value == 0 else None
    text = _float_digits(value) if type(value) is float and -100 <= value <= 100 else None
    if text is None:
        return None
    shifted = f"{Decimal(text).scaleb(2):f}"
    return f"{shifted.rstrip('0').rstrip('.') if '.' in shifted else shifted}%"


def say_percentage(value: Any, voice: Voice) -> str | None:
    """Return a percentage: `15` as "15%", or "fifteen percent" where the speaker likes words."""
    if voice.small_numbers_as_words and type(value) is int and 0 < value <= _MOST_IN_SPEECH:
        return f"{SPELLED[value]} percent"
    text = say_number(value, voice)
    return None if text is None else f"{text}%"


class Money(NamedTuple):
    """An amount with the code of its currency."""

    amount: int | float
    currency: str


def say_money(value: Any, voice: Voice) -> str | None:
    """Return an amount in its own currency: "€49.50", "¥3,400", "PLN 45"."""
    if type(value) is not Money or value.amount < 0:
        return None
    return _money(SIGNS.get(value.currency, f"{value.currency} "), value.amount, voice)


def _say_currency(sign: str, value: Any, voice: Voice) -> str | None:
    """Return an amount with a sign ("$49.50"), in words where the speaker likes words and it is small, or in thousands where they are brief."""
    if type(value) in (int, float):
        if voice.small_numbers_as_words and 1 <= value <= _MOST_IN_SPEECH and value == int(value):
            return f"{SPELLED[int(value)]} {_CURRENCIES[sign]}{'' if value == 1 else 's'}"
        if voice.tight_meridiem and _COMMA_FROM <= value < _MOST_THOUSANDS and value % 1_000 == 0:
            return f"{sign}{int(value) // 1_000}k"
    return _money(sign, value, voice)


_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound"}
_MOST_THOUSANDS = 1_000_000


def _money(sign: str, value: Any, voice: Voice) -> str | None:
    """Return an amount with a sign before it, and two decimals if any; None for more decimals."""
    if type(value) is float and 0 < value < _MONEY_COMMA_FROM:  # the usual: no comma, no minus
        text = repr(value)
        if text[-3:-2] == ".":
            return sign + text
        if text[-2:-1] == ".":
            return sign + text[:-2] if text[-1] == "0" else f"{sign}{text}0"
    if type(value) is int:
        whole, cents = abs(value), ""
    elif type(value) is float:
        digits, _, fraction = repr(abs(value)).partition(".")
        # nothing after the point: an exponent, infinity or NaN
        if not fraction.isdigit() or len(fraction) > 2 or (value == 0 and str(value) != "0.0"):
            return None
        whole, cents = int(digits), "" if fraction == "0" else f".{fraction:0<2}"
    else:
        return None
    if whole >= _MONEY_LIMIT:
        return None
    comma = voice.thousands_comma and whole >= _MONEY_COMMA_FROM
    return f"{'-' if value < 0 else ''}{sign}{f'{whole:,}' if comma else whole}{cents}"


def _float_digits(value: float) -> str | None:
    """Return the shortest digits that give the same float, without an exponent; None when they would be too many."""
    text = repr(value)
    if text.endswith(".0"):
        return None if text == "-0.0" else text[:-2]
    if "e-" in text:
        return f"{Decimal(text):f}" if abs(value) >= _SMALLEST else None
    return None if "e" in text or "n" in text else text


_match_number = re.compile(
    r"(?P<sign>-?)(?P<currency>[$€£]?)"
    r"(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?P<fraction>\.[0-9]+)?(?P<percent>%?)"
).fullmatch
_match_ordinal = re.compile(r"([1-9][0-9]*)(st|nd|rd|th)").fullmatch
_ORDINALS = {word: number for number, word in enumerate(ORDINAL_WORDS[:11]) if number}
_MOST_DIGITS = 40


NUMBER_WORDS = {"a hundred": 100}
"""Spelled numbers from 0 to 100, with and without hyphens."""
NUMBER_WORDS |= {form: number for number, word in enumerate(SPELLED) for form in (word, word.replace("-", " "))}
_OTHER_WORDS: dict[str, int] = _WORDS["others"]


def read_number(text: str, reading: SpanContext) -> int | float:
    """Return a number in digits, with or without commas between thousands."""
    if text.isdigit() and text.isascii() and (text[0] != "0" or text == "0") and len(text) < _MOST_DIGITS:
        return int(text)
    return _read_digits(text, "", "", reading)


def read_words(text: str, reading: SpanContext) -> int:
    """Return a spelled number up to one thousand."""
    return expected(spelled_number(text), text, "is not a spelled number")


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
    return int(number)


def read_counted(text: str, reading: SpanContext) -> int:
    """Return how many there are of what is named behind it; "no" is none."""
    return 0 if text.lower() == "no" else read_count(text, reading)


def read_ordinal(text: str, reading: SpanContext) -> int:
    """Return the number of an ordinal: `3rd` or `third` as 3."""
    lower = text.lower()
    spelled = _ORDINALS.get(lower)
    if spelled is not None:
        return spelled
    match = expected(_match_ordinal(lower), text, "is not an ordinal")
    refuse_if(len(lower) > _MOST_DIGITS, text, "is not an ordinal")
    number = int(match[1])
    refuse_if(lower != ordinal_digits(number), text, "has the wrong ending")
    return number


def read_percent(text: str, reading: SpanContext) -> int | float:
    """Return a percentage as a share of one: `15%` as 0.15."""
    hundredths = _read_digits(text, "", "%", SpanContext())
    if isinstance(hundredths, int) and hundredths % 100 == 0:
        return hundredths // 100
    refuse_if(not may_be_fraction(reading), text, "is not a whole number")
    return float(f"{text[:-1].replace(',', '')}e-2")  # dividing would round twice


def read_percentage(text: str, reading: SpanContext) -> int | float:
    """Return a percentage: `15%` and "fifteen percent" as 15."""
    words, _, unit = text.lower().rpartition(" ")
    if unit in ("percent", "cent") and (number := NUMBER_WORDS.get(words.removesuffix(" per"))) is not None:
        return number
    return _read_digits(text, "", "%", reading)


_AMOUNT = re.compile(
    rf"(?:(?P<sign>{'|'.join(map(re.escape, SIGNS.values()))})|(?P<code>[A-Z]{{3}}) )(?P<amount>[0-9].*)"
)
_OF_SIGNS = {sign: code for code, sign in SIGNS.items()}


def read_money(text: str, reading: SpanContext) -> int | float:
    """Return an amount in whichever currency: `€49.50` as 49.5, `PLN 45` as 45."""
    match = expected(_AMOUNT.fullmatch(text), text, "is not an amount with its currency before it")
    return _read_money("", match["amount"], reading)


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
    sign: re.compile(rf"(?P<words>[a-z -]+) {name}s?|{re.escape(sign)}(?P<thousands>[1-9][0-9]{{1,2}})k", re.IGNORECASE)
    for sign, name in _CURRENCIES.items()
}


def _spoken_money(text: str, currency: str) -> int | None:
    """Return an amount in words ("fifty dollars") or in thousands ("$25k"); None for others."""
    match = _SPOKEN_MONEY[currency].fullmatch(text)
    if match is None:
        return None
    if match["thousands"]:
        return int(match["thousands"]) * 1_000
    number = expected(NUMBER_WORDS.get(match["words"].lower()), text, "is not an amount in words")
    refuse_if((number == 1) == text.lower().endswith("s"), text, "is not an amount in words")
    return number


def _read_money(currency: str, text: str, reading: SpanContext) -> int | float:
    """Return an amount of a currency: `$49.50` as 49.5."""
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
    """Return a number in digits, with the sign of its currency or `%` where these are to stand there."""
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


NUMBERS: tuple[Verbalizer, ...] = (
    Verbalizer("number", say_number, read_number),
    Verbalizer("digits", say_digits, read_number),
    Verbalizer("words", say_words, read_words),
    Verbalizer("count", say_count, read_count),
    Verbalizer("counted", say_counted, read_counted),
    Verbalizer("ordinal", say_ordinal, read_ordinal),
    Verbalizer("percent", say_percent, read_percent),
    Verbalizer("percentage", say_percentage, read_percentage),
    Verbalizer("amount", partial(_money, ""), read_number),
    Verbalizer("usd", partial(_say_currency, "$"), partial(_read_money, "$")),
    Verbalizer("eur", partial(_say_currency, "€"), partial(_read_money, "€")),
    Verbalizer("gbp", partial(_say_currency, "£"), partial(_read_money, "£")),
    Verbalizer("money", say_money, read_money),
)
