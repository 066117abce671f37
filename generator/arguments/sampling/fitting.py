"""Values that fit together because the arguments' names suggest it, without a declaration in the spec file.

Arguments of one object are looked at together. Names are compared word by word: `customer_name` and
`customer_email` belong together, `min_price` and `max_price`, `unit_price`, `quantity` and `total`. A change that
would be invalid is not made.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from generator.arguments.kinds.names import kind_of_name, words_in_name
from generator.arguments.kinds.places import PLACES, axis_of, coordinates_among
from generator.arguments.reading.nodes import EnumNode, Node, NumberNode, Schema, StringNode, object_nodes
from generator.arguments.sampling.leaves import Test, tester
from generator.arguments.sampling.relations import Relate, compile_relation, value_or_none
from generator.arguments.vocabulary.words import CITIES_IN, CODE_OF, COUNTRY_OF, SPELLINGS, plain_letters
from generator.core.pointers import joined, set_at
from generator.core.seeds import Draw, Maker
from generator.core.toolbox import Relation

Fields = dict[str, Node]
"""The properties of one object: slot → node."""

_ORDERED = (
    ("start", "end"), ("starts", "ends"), ("from", "to"), ("begin", "end"), ("min", "max"), ("minimum", "maximum"),
    ("lowest", "highest"), ("earliest", "latest"), ("departure", "return"), ("since", "until"), ("after", "before"),
    ("in", "out"), ("checkin", "checkout"),
)  # fmt: skip
_PRICES = ("unit price", "price per unit", "price each", "item price", "price")
_COUNTS = ("quantity", "qty", "units", "number of units", "item count")
_TOTALS = ("total", "total price", "total amount", "total cost", "order total", "line total", "subtotal")
_NOT_OWNERS = frozenset({"email", "mail", "e", "address", "name", "full"})
_MOMENTS = frozenset({"date", "past_date", "time", "time_seconds", "date_time"})


def compile_fitting(
    schema: Schema,
    makers: dict[str, Maker],
    kept: frozenset[str],
    known: tuple[Relation, ...],
    people: frozenset[str] = frozenset(),
) -> tuple[Relate, ...]:
    """Return functions that make arguments fit, each changing them in place.

    Args:
        schema: Of all arguments.
        makers: Makers of the arguments, by slot.
        kept: Arguments whose values a recipe chose; they are not changed.
        known: Relations that the spec file declares: pairs in them are left to it.
        people: Arguments that the spec file declares to be names of people.
    """
    found: list[Relate] = []
    for fields in _objects(schema.root, "", makers):
        for pair in _undeclared(fields, known):
            relate = compile_relation(pair, makers, kept)
            found.append(_if_valid(relate, {slot: _test(fields[slot]) for slot in (pair.left, pair.right)}))
        found += _mails(fields, kept, people)
        for find in (_places, _points, _totals):
            found += find(fields, kept)
    return tuple(found)


def relations_by_name(schema: Schema, makers: dict[str, Maker], known: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """Return the relations that the names of arguments suggest, beside those that the spec file declares."""
    return tuple([pair for fields in _objects(schema.root, "", makers) for pair in _undeclared(fields, known)])


def _undeclared(fields: Fields, known: tuple[Relation, ...]) -> list[Relation]:
    declared = {frozenset((relation.left, relation.right)) for relation in known}
    return [Relation(left, "<", right) for left, right in _pairs(fields) if frozenset((left, right)) not in declared]


def _objects(node: Node, slot: str, makers: dict[str, Maker]) -> Iterator[Fields]:
    """Yield the fields of the object and of the objects in it, each by its slot; only those that are made.

    A schema whose references lead to references may have billions of slots, of which the makers are the first ones.
    """
    for found in object_nodes(node):
        fields = {joined(slot, part.name): part.node for part in found.properties}
        fields = {inner: below for inner, below in fields.items() if inner in makers}
        yield fields
        for inner, below in fields.items():
            yield from _objects(below, inner, makers)


def _last(slot: str) -> str:
    return slot.rpartition("/")[2]


def _kind(slot: str) -> str | None:
    return kind_of_name(_last(slot), (), False)


def _test(node: Node) -> Test:
    if isinstance(node, EnumNode):
        return lambda value: value in node.values
    return tester(node.schema) if isinstance(node, StringNode | NumberNode) else lambda value: True


def _if_valid(relate: Relate, tests: dict[str, Test]) -> Relate:
    """Return the relation, undone where its result is not valid."""

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        """Relate the values; take it back where one of them is not valid then."""
        before = {slot: value_or_none(arguments, slot) for slot in tests}
        if None in before.values():
            return
        relate(draw, arguments)
        if not all(is_valid(value_or_none(arguments, slot)) for slot, is_valid in tests.items()):
            for slot, value in before.items():
                set_at(arguments, slot, value)

    return fit


def _pairs(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield slots whose names differ in one word, such as min and max, and whose values are of one sort."""
    by_name = {words_in_name(_last(slot)): slot for slot in fields}
    for words, slot in by_name.items():
        for first, second in _ORDERED:
            if axis_of(_last(slot)) is not None:
                continue
            other = by_name.get(tuple(second if word == first else word for word in words))
            if words.count(first) == 1 and other is not None and _are_comparable(fields, slot, other):
                yield slot, other


def _are_comparable(fields: Fields, left: str, right: str) -> bool:
    one, other = fields[left], fields[right]
    if isinstance(one, NumberNode) and isinstance(other, NumberNode):
        return True
    is_moment = isinstance(one, StringNode) and (one.format in {"date", "date-time"} or _kind(left) in _MOMENTS)
    return isinstance(one, StringNode) and isinstance(other, StringNode) and one.schema == other.schema and is_moment


def _of_kind(fields: Fields, *kinds: str) -> list[str]:
    return [slot for slot, node in fields.items() if isinstance(node, StringNode | EnumNode) and _kind(slot) in kinds]


def _owner(slot: str) -> set[str]:
    return set(words_in_name(_last(slot))) - _NOT_OWNERS


def _mails(fields: Fields, kept: frozenset[str], people: frozenset[str]) -> Iterator[Relate]:
    """Make the email address from the name it belongs to."""
    firsts, lasts = _of_kind(fields, "first_name"), _of_kind(fields, "last_name")
    names = list(
        dict.fromkeys(
            [*_of_kind(fields, "person_name"), *(slot for slot in fields if slot in people and not _owner(slot))]
        )
    )
    mails = [slot for slot in _of_kind(fields, "email") if slot not in kept]
    for mail in mails:
        own = [slot for slot in names if _owner(slot) == _owner(mail)]
        if not own and len(names) == len(mails) == 1 and not _owner(mail):
            own = names  # the only person there is
        if len(own) == 1:
            yield _mail_of(own, mail, _test(fields[mail]))
        elif not names and len(firsts) == len(lasts) == len(mails) == 1:
            yield _mail_of([*firsts, *lasts], mail, _test(fields[mail]))


def _mail_of(names: list[str], mail: str, is_valid: Test) -> Relate:
    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        address, parts = value_or_none(arguments, mail), [value_or_none(arguments, name) for name in names]
        if not isinstance(address, str) or "@" not in address or not all(isinstance(part, str) for part in parts):
            return
        full = " ".join(map(str, parts))
        words = [word for word in map(plain_letters, full.split()) if word]
        if not words or len("".join(words)) < 0.7 * len(full):
            return  # no name, or one in other letters, does not say how its address is written
        forms = (".".join(words), f"{words[0][0]}.{words[-1]}", "".join(words), f"{words[0]}_{words[-1]}")
        made = f"{draw.choice(forms)}@{address.rpartition('@')[2]}"
        if is_valid(made):
            set_at(arguments, mail, made)

    return fit


def _places(fields: Fields, kept: frozenset[str]) -> Iterator[Relate]:
    """Set the country to the one that the city lies in."""
    cities = _of_kind(fields, "city")
    countries = _of_kind(fields, "country", "country_code", "country_code_3")
    if len(cities) == 1 and len(countries) == 1:
        city, country = cities[0], countries[0]
        if country not in kept:
            yield _country_of(city, country, _test(fields[country]))
        elif city not in kept:
            yield _city_in(city, country, _test(fields[city]))


def _country_of(city: str, country: str, is_valid: Test) -> Relate:
    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        place, now = value_or_none(arguments, city), value_or_none(arguments, country)
        code = COUNTRY_OF.get(place) if isinstance(place, str) else None
        if code is None or not isinstance(now, str):
            return
        first = next((at for at, spelling in enumerate(SPELLINGS[CODE_OF.get(now, code)]) if spelling == now), 2)
        spellings = (SPELLINGS[code][first], *SPELLINGS[code])
        made = next((spelling for spelling in spellings if is_valid(spelling)), None)
        if made is not None:
            set_at(arguments, country, made)

    return fit


def _city_in(city: str, country: str, is_valid: Test) -> Relate:
    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        place, now = value_or_none(arguments, city), value_or_none(arguments, country)
        code = CODE_OF.get(now) if isinstance(now, str) else None
        if code is None or not isinstance(place, str) or COUNTRY_OF.get(place) == code:
            return
        fitting = [other for other in CITIES_IN.get(code, ()) if is_valid(other)]
        if fitting:
            set_at(arguments, city, draw.choice(fitting))

    return fit


def _points(fields: Fields, kept: frozenset[str]) -> Iterator[Relate]:
    """Move most latitudes and longitudes to places that people know by name."""
    names = {_last(slot): slot for slot, node in fields.items() if isinstance(node, NumberNode)}
    for pair in coordinates_among(names).values():
        latitude, longitude = (names[name] for name in pair)
        if kept.isdisjoint((latitude, longitude)):
            yield _point_at(latitude, longitude, _test(fields[latitude]), _test(fields[longitude]))


def _point_at(latitude: str, longitude: str, is_latitude: Test, is_longitude: Test) -> Relate:
    points = [point for _, point in PLACES.values() if is_latitude(point[0]) and is_longitude(point[1])]

    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        now = [value_or_none(arguments, slot) for slot in (latitude, longitude)]
        if None not in now and draw.chance(_NAMED):
            point = draw.choice(points)
            set_at(arguments, latitude, point[0])
            set_at(arguments, longitude, point[1])

    return fit if points else lambda draw, arguments: None


_NAMED = 0.85
"""How often coordinates are those of a place in places.yaml."""


def _totals(fields: Fields, kept: frozenset[str]) -> Iterator[Relate]:
    """Set the total to price times quantity."""
    numbers = {
        " ".join(words_in_name(_last(slot))): slot for slot, node in fields.items() if isinstance(node, NumberNode)
    }
    found = [next((numbers[name] for name in names if name in numbers), None) for names in (_PRICES, _COUNTS, _TOTALS)]
    price, count, total = found
    if price is not None and count is not None and total is not None and total not in kept:
        yield _product(price, count, total, _test(fields[total]))


def _product(price: str, count: str, total: str, is_valid: Test) -> Relate:
    def fit(draw: Draw, arguments: dict[str, Any]) -> None:
        one, many, now = (value_or_none(arguments, slot) for slot in (price, count, total))
        if now is None or not isinstance(one, int | float) or not isinstance(many, int | float):
            return
        product = Fraction(repr(one)) * Fraction(repr(many))
        if abs(product) >= 2**63:
            return  # no reader keeps it exactly
        made = int(product) if product.denominator == 1 else round(float(product), 6)
        if is_valid(made):
            set_at(arguments, total, made)

    return fit
