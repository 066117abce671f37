"""Pools of people, addresses, companies and the like in the locales of a recipe, in their own scripts."""

from contextlib import redirect_stdout
from datetime import date
from io import StringIO
from itertools import accumulate, cycle, islice
from warnings import catch_warnings, simplefilter

from faker import Faker
from faker.providers.address import Provider as AnyAddress

from generator.arguments.vocabulary.geography import CITIES_IN
from generator.arguments.vocabulary.letters import plain_letters
from generator.arguments.vocabulary.locales import Locale
from generator.arguments.vocabulary.pools import DOMAINS, FAKED, Make
from generator.arguments.vocabulary.words import CITIES, WORDS
from generator.core.seeds import Draw, stream_seed

_SIZE = 400
_TRIES = 6
_FAMILY_FIRST = {"hu": " ", "ja": " ", "ko": "", "vi": " ", "zh": ""}
"""Languages in which the family name stands first, and what stands between the names."""


def local_fake_pool(kind: str, seed: int, locale: Locale) -> tuple[str, ...]:
    """Return about four hundred values of a kind, of each locale as many as its weight says."""
    total = sum(weight for _, weight in locale)
    ends = [round(_SIZE * reached / total) for reached in accumulate(weight for _, weight in locale)]
    values: list[str] = []
    for (name, _), end in zip(locale, ends, strict=True):
        share = end - len(values)
        values += islice(cycle(_values(kind, seed, name, share)), share)
    return tuple(values)


def _values(kind: str, seed: int, name: str, count: int) -> tuple[str, ...]:
    """Return that many different values of one locale, or all that it has."""
    fake = new_faker(name, stream_seed("faker", kind, seed, name))
    draw = Draw(stream_seed("pool", kind, seed, name), date.min)
    make = _LOCAL.get(kind) or FAKED[kind]
    found: dict[str, None] = {}
    with redirect_stdout(StringIO()):  # some providers print
        for _ in range(max(count, 1) * _TRIES):
            if len(found) >= max(count, 1):
                break
            text = " ".join(make(fake, draw).split())
            if text:
                found[text] = None
    return tuple(found)


def new_faker(locale: str, seed: int) -> Faker:
    """Return a Faker for one locale, whose values depend on the seed alone."""
    with catch_warnings():
        simplefilter("ignore")  # of locales that have another name now
        fake = Faker(locale)
    fake.seed_instance(seed)
    return fake


def _language(fake: Faker) -> str:
    return str(fake.locales[0]).partition("_")[0]


def _country(fake: Faker) -> str:
    return str(fake.locales[0]).partition("_")[2]


def _person(fake: Faker, draw: Draw) -> str:
    gap = _FAMILY_FIRST.get(_language(fake))
    if gap is not None:
        return f"{fake.last_name()}{gap}{fake.first_name()}"
    return f"{fake.first_name()} {fake.last_name()}"


def _login(fake: Faker, draw: Draw) -> str:
    """Return a name as it stands in an email address; Faker transliterates other scripts."""
    first, last = plain_letters(fake.first_name()), plain_letters(fake.last_name())
    if len(first) < 2 or len(last) < 2:
        return str(fake.user_name())
    return draw.choice(
        (f"{first}.{last}", f"{first}.{last}", f"{first[:1]}.{last}", f"{first}{last}", f"{first}_{last}")
    )


def _email(fake: Faker, draw: Draw) -> str:
    return f"{_login(fake, draw)}@{draw.choice(DOMAINS)}"


def _domain(fake: Faker, draw: Draw) -> str:
    name = plain_letters(fake.last_name()) or draw.choice(WORDS)
    return f"{draw.choice(('', 'www.', 'shop.', 'api.', 'blog.'))}{name}.example"


def _city(fake: Faker, draw: Draw) -> str:
    """Return a real city: of Faker's list, or of ours where Faker invents names."""
    known = CITIES_IN.get(_country(fake))
    if hasattr(fake, "city_name"):
        return str(fake.city_name())
    places = [type(one) for one in fake.factories[0].providers if isinstance(one, AnyAddress)]
    if not any(place.__module__.endswith(str(fake.locales[0])) for place in places):
        return draw.choice(known or CITIES)  # Faker has nothing for this locale and would mix it with English
    return draw.choice(known) if known and AnyAddress.city in [place.city for place in places] else str(fake.city())


def _address(fake: Faker, draw: Draw) -> str:
    return f"{_street(fake, draw)}, {_city(fake, draw)}"


def _street(fake: Faker, draw: Draw) -> str:
    if _language(fake) == "ja":  # Faker's is an English one
        return f"{fake.town()}{fake.chome()}{fake.ban()}{fake.gou()}"
    return str(fake.street_address()).replace("\n", ", ")


def _phone(fake: Faker, draw: Draw) -> str:
    if _country(fake) in {"US", "GB"}:
        return FAKED["phone"](fake, draw)  # numbers that nobody has
    return str(fake.phone_number()) if hasattr(fake, "phone_number") else FAKED["phone_e164"](fake, draw)


_LOCAL: dict[str, Make] = {
    "person_name": _person,
    "username": _login,
    "email": _email,
    "domain": _domain,
    "city": _city,
    "street_address": _street,
    "address": _address,
    "phone": _phone,
    "company": lambda fake, draw: str(fake.company()),
}
"""Kinds that are made otherwise than in the usual mix."""
