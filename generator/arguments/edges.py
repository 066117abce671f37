"""Values at the borders of what a schema allows."""

from generator.arguments.leaves import Test
from generator.arguments.nodes import Text

_TEXTS = (
    "Zoë Ångström",
    "Siobhán O'Connor-Núñez",
    "Łukasz & Søn",
    "Saint-Étienne",
    "São João",
    "Bjørnstjerne",
    "Dvořák",
    "Ñandú",
    "Þingvellir",
    "Kärntner Straße",
)
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

def edge_texts(node: Text, is_valid: Test) -> tuple[str, ...]:
    """Unusual strings that the node allows: accents, apostrophes, the far ends of its format."""
    found = [*_OF_FORMAT.get(node.format or "", ()), *_TEXTS]
    return tuple(text for text in dict.fromkeys(found) if is_valid(text))
