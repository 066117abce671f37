"""Numbers in digits and in words, ordinals, percentages and money."""

from decimal import Decimal
from typing import Any, NamedTuple

from generator.arguments.kinds.currencies import SIGNS
from generator.dialogue.values.voice import Voice

_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS: tuple[str, ...] = (
    *_ONES,
    *(ten if one == 0 else f"{ten}-{_ONES[one]}" for ten in _TENS for one in range(10)),
    "one hundred",
)
"""Words for 0 to 100."""
_ORDINAL_WORDS = (
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
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
    return NUMBER_WORDS[number] if voice.small_numbers_as_words and _is_short(number) else str(number)


def _is_short(number: int) -> bool:
    """Whether those who like words write a number as one beside a unit: up to twelve, and the tens."""
    return 1 <= number <= _MOST_SHORT or (number % 10 == 0 and 0 < number <= _MOST_IN_SPEECH)


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
        return NUMBER_WORDS[value]
    if value == _MOST_ROUND:
        return "a thousand"
    hundreds, rest = divmod(value, 100)
    between = " and " if voice.date_style == "day_first" else " "
    return f"{_ONES[hundreds]} hundred" + (f"{between}{NUMBER_WORDS[rest]}" if rest else "")


def say_count(value: Any, voice: Voice) -> str | None:
    """Return a count in digits, or a small one in words when the speaker likes that."""
    if type(value) is not int or value < 0:
        return None
    return NUMBER_WORDS[value] if voice.small_numbers_as_words and 1 <= value <= 10 else say_number(value, voice)


def say_counted(value: Any, voice: Voice) -> str | None:
    """Return how many there are of what is named behind it: "no" stops, 2 stops."""
    if type(value) is not int or value < 0:
        return None
    return say_number(value, voice) if value else "no"


def say_ordinal(value: Any, voice: Voice) -> str | None:
    """Return an ordinal: "3rd", or "third" when the speaker likes words."""
    if type(value) is not int or not 1 <= value < _COMMA_FROM:
        return None
    return _ORDINAL_WORDS[value] if voice.small_numbers_as_words and value <= 10 else ordinal_digits(value)


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
        return f"{NUMBER_WORDS[value]} percent"
    text = say_number(value, voice)
    return None if text is None else f"{text}%"


def say_amount(value: Any, voice: Voice) -> str | None:
    """Return an amount of money without its currency: `49.5` as "49.50"."""
    return _money("", value, voice)


def say_usd(value: Any, voice: Voice) -> str | None:
    """Return US dollars: "$49.50", "fifty dollars", "$25k"."""
    return (_in_speech if voice.small_numbers_as_words or voice.tight_meridiem else _money)("$", value, voice)


def say_eur(value: Any, voice: Voice) -> str | None:
    """Return euros: "€49.50", "fifty euros", "€25k"."""
    return (_in_speech if voice.small_numbers_as_words or voice.tight_meridiem else _money)("€", value, voice)


def say_gbp(value: Any, voice: Voice) -> str | None:
    """Return pounds sterling: "£49.50", "fifty pounds", "£25k"."""
    return (_in_speech if voice.small_numbers_as_words or voice.tight_meridiem else _money)("£", value, voice)


class Money(NamedTuple):
    """An amount with the code of its currency."""

    amount: int | float
    currency: str


def say_money(value: Any, voice: Voice) -> str | None:
    """Return an amount in its own currency: "€49.50", "¥3,400", "PLN 45"."""
    if type(value) is not Money or value.amount < 0:
        return None
    return _money(SIGNS.get(value.currency, f"{value.currency} "), value.amount, voice)


def _in_speech(sign: str, value: Any, voice: Voice) -> str | None:
    """Return an amount in words where the speaker likes words and it is small, or in thousands where they are brief."""
    if type(value) in (int, float):
        if voice.small_numbers_as_words and 1 <= value <= _MOST_IN_SPEECH and value == int(value):
            return f"{NUMBER_WORDS[int(value)]} {_CURRENCIES[sign]}{'' if value == 1 else 's'}"
        if voice.tight_meridiem and _COMMA_FROM <= value < _MOST_THOUSANDS and value % 1_000 == 0:
            return f"{sign}{int(value) // 1_000}k"
    return _money(sign, value, voice)


_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound"}
_MOST_THOUSANDS = 1_000_000


def _money(sign: str, value: Any, voice: Voice) -> str | None:
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
