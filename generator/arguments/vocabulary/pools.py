"""Pools of people, addresses, companies and the like, drawn from Faker once per (kind, seed), never per row; in the usual mix, or in the locales of a recipe."""

from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import date
from functools import cache
from io import StringIO
from itertools import accumulate, cycle, islice
from warnings import catch_warnings, simplefilter

from faker import Faker
from faker.providers.address import Provider as AnyAddress

from generator.arguments.vocabulary.prepared import Locale
from generator.arguments.vocabulary.words import CITIES, CITIES_IN, WORDS, plain_letters, word_list
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
    values: dict[str, None] = {}
    for turn in range(_SIZE * _TRIES):
        if len(values) == _SIZE:
            break
        values[make(fakers[_LOCALES[turn % len(_LOCALES)]], draw)] = None
    return tuple(values)


@cache
def _faker(locale: str, provider: str) -> Faker:
    """Return Faker with one provider; loading all of them takes longer than all that is drawn."""
    return Faker(locale, use_weighting=False, providers=[f"faker.providers.{provider}"])


def _username(fake: Faker, draw: Draw) -> str:
    """Return the name of an account from a person's name."""
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
    """Return an email address from a person's name: `a.king@example.com`."""
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
    """Return a phone number that nobody has, as E.164 writes it: `+12025550123`."""
    if draw.chance(0.3):
        return f"+447700900{draw.between(100, 999)}"
    return f"+1{draw.between(201, 989)}5550{draw.between(100, 199)}"


def _street(fake: Faker, draw: Draw) -> str:
    """Return the first line of an address: `12 Maple Street`."""
    name = draw.choice((fake.last_name(), draw.choice(WORDS).capitalize(), draw.choice(CITIES)))
    return f"{draw.between(1, 240)} {name} {draw.choice(_STREET_TYPES)}"


def _company(fake: Faker, draw: Draw) -> str:
    """Return the name of a company from family names or words."""
    if draw.chance(0.3):
        return f"{fake.last_name()} & {fake.last_name()}"
    name = fake.last_name() if draw.chance(0.4) else draw.choice(_COMPANY_WORDS)
    return f"{name} {draw.choice(_COMPANY_ENDINGS)}"


def _url(fake: Faker, draw: Draw) -> str:
    """Return the address of a page of a made-up site."""
    slug = f"{draw.choice(WORDS)}-{draw.choice(WORDS)}"
    host = draw.choice(("www.example.com", "example.org", "blog.example.net", *DOMAINS[4:]))
    return (
        f"https://{host}/{draw.choice(_PATHS)}/{slug}" if draw.chance(0.8) else f"https://{host}/{draw.choice(_PATHS)}"
    )


def _domain(fake: Faker, draw: Draw) -> str:
    """Return the domain of a made-up company."""
    return f"{draw.choice(('', 'www.', 'shop.', 'api.', 'blog.'))}{plain_letters(fake.last_name())}.example"


FAKED: dict[str, Make] = {
    "person_name": lambda fake, draw: f"{fake.first_name()} {fake.last_name()}",
    "first_name": lambda fake, draw: str(fake.first_name()),
    "last_name": lambda fake, draw: str(fake.last_name()),
    "username": _username,
    "email": _email,
    "phone": _phone,
    "phone_e164": _e164,
    "street_address": _street,
    "address": lambda fake, draw: f"{_street(fake, draw)}, {draw.choice(CITIES)}",
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


_FAMILY_FIRST = {"hu": " ", "ja": " ", "ko": "", "vi": " ", "zh": ""}
"""Languages in which the family name stands first, and what stands between the names."""


def local_fake_pool(kind: str, seed: int, locale: Locale) -> tuple[str, ...]:
    """Return about four hundred values of a kind, of each locale as many as its weight says."""
    shares = shares_of(locale, _SIZE)
    return tuple(
        [value for name, size in shares for value in islice(cycle(_local_values(kind, seed, name, size)), size)]
    )


def shares_of(locale: Locale, size: int) -> list[tuple[str, int]]:
    """Return how many of all values are of each locale, by weight."""
    total = sum(weight for _, weight in locale)
    ends = [0, *[round(size * reached / total) for reached in accumulate(weight for _, weight in locale)]]
    return [(name, end - start) for (name, _), start, end in zip(locale, ends, ends[1:], strict=False)]


def _local_values(kind: str, seed: int, name: str, count: int) -> tuple[str, ...]:
    """Return that many different values of one locale, or all that it has."""
    fake = new_faker(name, stream_seed("faker", kind, seed, name))
    draw = Draw(stream_seed("pool", kind, seed, name), date.min)
    make = _LOCAL.get(kind) or FAKED[kind]
    values: dict[str, None] = {}
    with redirect_stdout(StringIO()):  # some providers print
        for _ in range(max(count, 1) * _TRIES):
            if len(values) >= max(count, 1):
                break
            text = " ".join(make(fake, draw).split())
            if text:
                values[text] = None
    return tuple(values)


def new_faker(locale: str, seed: int) -> Faker:
    """Return a Faker for one locale, whose values depend on the seed alone."""
    with catch_warnings():
        simplefilter("ignore")  # of locales that have another name now
        fake = Faker(locale)
    fake.seed_instance(seed)
    return fake


def _language_of(fake: Faker) -> str:
    return str(fake.locales[0]).partition("_")[0]


def _country_code_of(fake: Faker) -> str:
    return str(fake.locales[0]).partition("_")[2]


def _local_person(fake: Faker, draw: Draw) -> str:
    """Return first and last name in the order of the language."""
    gap = _FAMILY_FIRST.get(_language_of(fake))
    if gap is not None:
        return f"{fake.last_name()}{gap}{fake.first_name()}"
    return f"{fake.first_name()} {fake.last_name()}"


def _local_login(fake: Faker, draw: Draw) -> str:
    """Return a name as it stands in an email address; Faker transliterates other scripts."""
    first, last = plain_letters(fake.first_name()), plain_letters(fake.last_name())
    if len(first) < 2 or len(last) < 2:
        return str(fake.user_name())
    return draw.choice(
        (f"{first}.{last}", f"{first}.{last}", f"{first[:1]}.{last}", f"{first}{last}", f"{first}_{last}")
    )


def _local_domain(fake: Faker, draw: Draw) -> str:
    """Return a domain made of a family name of the locale."""
    name = plain_letters(fake.last_name()) or draw.choice(WORDS)
    return f"{draw.choice(('', 'www.', 'shop.', 'api.', 'blog.'))}{name}.example"


def _local_city(fake: Faker, draw: Draw) -> str:
    """Return a real city: of Faker's list, or of ours where Faker invents names."""
    cities = CITIES_IN.get(_country_code_of(fake))
    if hasattr(fake, "city_name"):
        return str(fake.city_name())
    kinds = [type(part) for part in fake.factories[0].providers if isinstance(part, AnyAddress)]
    if not any(kind.__module__.endswith(str(fake.locales[0])) for kind in kinds):
        return draw.choice(cities or CITIES)  # Faker has nothing for this locale and would mix it with English
    return draw.choice(cities) if cities and AnyAddress.city in [kind.city for kind in kinds] else str(fake.city())


def _local_street(fake: Faker, draw: Draw) -> str:
    """Return the first line of an address in the language of the locale."""
    if _language_of(fake) == "ja":  # Faker's is an English one
        return f"{fake.town()}{fake.chome()}{fake.ban()}{fake.gou()}"
    return str(fake.street_address()).replace("\n", ", ")


def _local_phone(fake: Faker, draw: Draw) -> str:
    """Return a phone number as the locale writes it; in the US and in Britain one that nobody has."""
    if _country_code_of(fake) in {"US", "GB"}:
        return FAKED["phone"](fake, draw)  # numbers that nobody has
    return str(fake.phone_number()) if hasattr(fake, "phone_number") else FAKED["phone_e164"](fake, draw)


_LOCAL: dict[str, Make] = {
    "person_name": _local_person,
    "username": _local_login,
    "email": lambda fake, draw: f"{_local_login(fake, draw)}@{draw.choice(DOMAINS)}",
    "domain": _local_domain,
    "city": _local_city,
    "street_address": _local_street,
    "address": lambda fake, draw: f"{_local_street(fake, draw)}, {_local_city(fake, draw)}",
    "phone": _local_phone,
    "company": lambda fake, draw: str(fake.company()),
}
"""Kinds that are made otherwise than in the usual mix."""
