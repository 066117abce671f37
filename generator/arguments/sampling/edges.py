"""Values at the borders of what a schema allows: what people could still mean, and what only a test would say."""

from generator.arguments.reading.nodes import Text
from generator.arguments.sampling.leaves import Test

_PEOPLE = (
    "Zoë Ångström",
    "Siobhán O'Connor-Núñez",
    "Łukasz Dvořák",
    "Bjørn Þórsson",
    "João da Conceição",
    "Nguyễn Thị Mai",
)
_OF_KIND: dict[str, tuple[str, ...]] = {
    "person_name": _PEOPLE,
    "first_name": tuple(name.split(" ")[0] for name in _PEOPLE),
    "last_name": tuple(name.split(" ")[-1] for name in _PEOPLE),
    "city": ("Saint-Étienne", "Łódź", "São Paulo", "Reykjavík", "'s-Hertogenbosch", "Århus"),
    "street_address": ("3 Kärntner Straße", "17b Rue de l'Abbé-Grégoire", "1 Þórsgata"),
}
"""Texts that are unusual and still what somebody could mean; hostile ones are for the property_based source."""
_OF_FORMAT: dict[str, tuple[str, ...]] = {
    "date": ("2028-02-29", "2026-12-31", "2027-01-01"),
    "date-time": ("2028-02-29T23:59:59Z", "2026-01-01T00:00:00Z", "2026-06-30T12:00:00.123Z", "2026-03-14T15:30:00+05:45"),
    "time": ("00:00:00Z", "23:59:59Z", "12:00:00.5+01:00"),
    "email": ("a@b.co", "first.last+tag@example.co.uk", "x_y-z@sub.example.org"),
    "uuid": ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    "uri": ("http://localhost:8080/", "https://example.com/a%20b?q=1&r=%C3%A9#top", "urn:isbn:9780140449136"),
    "ipv4": ("0.0.0.0", "255.255.255.255", "127.0.0.1"),
    "ipv6": ("::", "::1", "fe80::1", "2001:db8:85a3::8a2e:370:7334"),
    "hostname": ("localhost", "a.b.c.d.example", "xn--bcher-kva.example"),
    "duration": ("PT0S", "P1Y2M3DT4H5M6S", "P4W"),
}

_HOSTILE = (
    "",
    "a",
    " ",
    "0",
    "null",
    "true",
    "Zoë Ångström",
    "東京都渋谷区",
    "Привет, мир",
    "مرحبا بالعالم",
    "👩‍🚀🎉",
    'She said "hello"',
    "it's 100% \\ done",
    "first line\nsecond line",
    "tab\there",
    "<b>bold</b> & more",
    "{curly} [square]",
    "x; DROP TABLE users; --",
)
_LONG = "This line goes on for as long as it may, and then a little further, "
_USUAL_LONGEST = 300


def hostile_texts(node: Text, is_valid: Test) -> tuple[str, ...]:
    """Boundary strings for parsers: empty, shortest, longest, other scripts, marks that need escaping."""
    longest = min(_USUAL_LONGEST if node.longest is None else node.longest, 2000)
    shortest = node.shortest
    long_text = (_LONG * (longest // len(_LONG) + 1))[:longest]
    found = [*_OF_FORMAT.get(node.format or "", ()), *_HOSTILE, long_text, "é" * longest, "x" * shortest, "ñ" * shortest]
    if node.longest is None or node.longest > shortest:
        found.append("y" * (shortest + 1))
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))


def edge_texts(node: Text, kind: str | None, is_valid: Test) -> tuple[str, ...]:
    """Unusual strings that the node allows: the far ends of its format, names with accents and apostrophes."""
    found = (*_OF_FORMAT.get(node.format or "", ()), *_OF_KIND.get(kind or "", ()))
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))
