"""Pools of people, addresses, companies and the like, drawn from Faker once per (kind, seed), never per row."""

from collections.abc import Callable
from datetime import date
from functools import cache

from faker import Faker

from generator.arguments.vocabulary.letters import plain_letters
from generator.arguments.vocabulary.words import CITIES, WORDS, word_list
from generator.core.seeds import Draw, stream_seed

_SIZE = 400
_TRIES = 6
_LOCALES = ("en_US", "en_US", "en_US", "en_GB", "en_GB", "en_IN", "es_ES", "de_DE", "fr_FR", "it_IT", "nl_NL", "sv_SE")
_COMPANY_WORDS = word_list("company_words")
_COMPANY_ENDINGS = word_list("company_endings")
_STREET_TYPES = word_list("street_types")
DOMAINS = ("example.com", "example.com", "example.org", "example.net", *[
    f"{word.lower().replace(' ', '')}.example" for word in _COMPANY_WORDS[:6]
])  # fmt: skip
_PROVIDERS = {"postal_code": "address", "license_plate": "automotive", "iban": "bank", "isbn": "isbn"}
"""What Faker calls the provider of a kind, where it is not `person`."""
_PATHS = word_list("url_paths")

Make = Callable[[Faker, Draw], str]


def fake_pool(kind: str, seed: int) -> tuple[str, ...]:
    """Return about four hundred different values of a kind in FAKED."""
    draw = Draw(stream_seed("pool", kind, seed), date.min)
    fakers = {locale: _faker(locale, _PROVIDERS.get(kind, "person")) for locale in _LOCALES}
    for locale, fake in fakers.items():
        fake.seed_instance(stream_seed("faker", kind, seed, locale))
    make = FAKED[kind]
    found: dict[str, None] = {}
    for turn in range(_SIZE * _TRIES):
        if len(found) == _SIZE:
            break
        found[make(fakers[_LOCALES[turn % len(_LOCALES)]], draw)] = None
    return tuple(found)


@cache
def _faker(locale: str, provider: str) -> Faker:
    """Return Faker with one provider; loading all of them takes longer than all that is drawn."""
    return Faker(locale, use_weighting=False, providers=[f"faker.providers.{provider}"])


def _person(fake: Faker, draw: Draw) -> str:
    return f"{fake.first_name()} {fake.last_name()}"


def _username(fake: Faker, draw: Draw) -> str:
    first, last = plain_letters(fake.first_name()), plain_letters(fake.last_name())
    forms = (
        f"{first}{last}",
        f"{first}_{last}",
        f"{first[:1]}{last}",
        f"{first}{draw.between(2, 99)}",
        f"{first}.{last}",
    )
    return draw.choice(forms)


def _email(fake: Faker, draw: Draw) -> str:
    first, last = plain_letters(fake.first_name()), plain_letters(fake.last_name())
    forms = (f"{first}.{last}", f"{first}.{last}", f"{first[:1]}.{last}", f"{first}", f"{first}{last}")
    return f"{draw.choice(forms)}@{draw.choice(DOMAINS)}"


def _phone(fake: Faker, draw: Draw) -> str:
    """Return a phone number of a range that is reserved for fiction."""
    area, line = (
        draw.choice(("202", "212", "303", "312", "415", "503", "617", "702", "808", "919")),
        draw.between(100, 199),
    )
    forms = (f"+1-{area}-555-0{line}", f"({area}) 555-0{line}", f"{area}-555-0{line}", f"+1{area}5550{line}")
    british = (f"+44 20 7946 0{draw.between(100, 999)}", f"+44 7700 900{draw.between(100, 999)}")
    return draw.choice(forms) if draw.chance(0.75) else draw.choice(british)


def _e164(fake: Faker, draw: Draw) -> str:
    if draw.chance(0.3):
        return f"+447700900{draw.between(100, 999)}"
    return f"+1{draw.between(201, 989)}5550{draw.between(100, 199)}"


def _street(fake: Faker, draw: Draw) -> str:
    name = draw.choice((fake.last_name(), draw.choice(WORDS).capitalize(), draw.choice(CITIES)))
    return f"{draw.between(1, 240)} {name} {draw.choice(_STREET_TYPES)}"


def _address(fake: Faker, draw: Draw) -> str:
    return f"{_street(fake, draw)}, {draw.choice(CITIES)}"


def _company(fake: Faker, draw: Draw) -> str:
    if draw.chance(0.3):
        return f"{fake.last_name()} & {fake.last_name()}"
    name = fake.last_name() if draw.chance(0.4) else draw.choice(_COMPANY_WORDS)
    return f"{name} {draw.choice(_COMPANY_ENDINGS)}"


def _url(fake: Faker, draw: Draw) -> str:
    slug = f"{draw.choice(WORDS)}-{draw.choice(WORDS)}"
    host = draw.choice(("www.example.com", "example.org", "blog.example.net", *DOMAINS[4:]))
    return (
        f"https://{host}/{draw.choice(_PATHS)}/{slug}" if draw.chance(0.8) else f"https://{host}/{draw.choice(_PATHS)}"
    )


def _domain(fake: Faker, draw: Draw) -> str:
    return f"{draw.choice(('', 'www.', 'shop.', 'api.', 'blog.'))}{plain_letters(fake.last_name())}.example"


FAKED: dict[str, Make] = {
    "person_name": _person,
    "first_name": lambda fake, draw: str(fake.first_name()),
    "last_name": lambda fake, draw: str(fake.last_name()),
    "username": _username,
    "email": _email,
    "phone": _phone,
    "phone_e164": _e164,
    "street_address": _street,
    "address": _address,
    "company": _company,
    "url": _url,
    "domain": _domain,
    "postal_code": lambda fake, draw: str(fake.postcode()),
    "us_zip_code": lambda fake, draw: f"{draw.between(501, 99950):05d}",
    "license_plate": lambda fake, draw: str(fake.license_plate()),
    "iban": lambda fake, draw: str(fake.iban()),
    "isbn": lambda fake, draw: str(fake.isbn13()),
}
"""Kinds that come from Faker, and how one value is made."""
