"""A Hypothesis strategy for satisfiable schemas of the everyday subset."""

from fractions import Fraction

from hypothesis import strategies as st

PATTERNS = (
    "^[A-Z]{3}$",
    "^ORD-[0-9]{6}$",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$",
    "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$",
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    "^\\+[1-9]\\d{6,14}$",
    "[0-9]+ (kg|lb)",
    "^\\S+@\\S+$",
    "^#[0-9a-fA-F]{6}$",
    "^(red|green|dark (blue|gray))?$",
    "^[^\\s]{4,8}$",
    "^\\w{3,}\\.(?:pdf|txt)$",
)
FORMATS = ("date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "duration")
NAMES = (
    "city", "date", "email", "quantity", "price", "note", "check_in", "id", "name", "tags", "address", "limit", "start_time",
    "x", "userName", "order_id", "country", "details", "items", "max-price", "origin", "year", "weird name/~", "phone",
)  # fmt: skip


@st.composite
def strings(draw):
    kind = draw(st.sampled_from(["plain", "length", "pattern", "format"]))
    if kind == "pattern":
        return {"type": "string", "pattern": draw(st.sampled_from(PATTERNS))}
    if kind == "format":
        return {"type": "string", "format": draw(st.sampled_from(FORMATS))}
    schema = {"type": "string"}
    if kind == "length":
        shortest = draw(st.integers(0, 30))
        schema["minLength"] = shortest
        if draw(st.booleans()):
            schema["maxLength"] = shortest + draw(st.integers(0, 20))
    return schema


@st.composite
def numbers(draw):
    whole = draw(st.booleans())
    schema = {"type": "integer" if whole else "number"}
    step = None
    if draw(st.booleans()):
        step = draw(st.sampled_from([1, 2, 5, 10] if whole else [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5]))
        schema["multipleOf"] = step
    exact = Fraction(str(step if step is not None else 1 if whole else 0.5))
    low = exact * draw(st.integers(-1000, 1000))
    width = exact * draw(st.integers(0, 2000))
    if draw(st.booleans()):
        if draw(st.booleans()):
            schema["minimum"] = _plain(low)
        else:
            schema["exclusiveMinimum"] = _plain(low - exact)
    if draw(st.booleans()):
        if draw(st.booleans()):
            schema["maximum"] = _plain(low + width)
        else:
            schema["exclusiveMaximum"] = _plain(low + width + exact)
    return schema


def _plain(exact):
    return int(exact) if exact.denominator == 1 else float(exact)


SCALARS = st.one_of(
    st.integers(-5, 50), st.sampled_from(["a", "b", "low", "high", "", "O'Neil"]), st.booleans(), st.none()
)
LEAVES = st.one_of(
    strings(),
    numbers(),
    st.just({"type": "boolean"}),
    st.lists(st.sampled_from(["low", "medium", "high", "a b", "ü"]), min_size=1, unique=True).map(
        lambda v: {"enum": v}
    ),
    SCALARS.map(lambda value: {"const": value}),
    st.just({"type": ["string", "null"]}),
    st.just({"type": ["integer", "string"], "maxLength": 9, "minimum": 3}),
    st.just({}),
    st.just({"$ref": "#/$defs/leaf"}),
    st.just({"$ref": "#/$defs/tree", "description": "A tree"}),
)


def _arrays(children):
    return st.builds(
        lambda items, low, more: {"type": "array", "items": items, "minItems": low, "maxItems": low + more},
        children,
        st.integers(0, 4),
        st.integers(0, 6),
    ) | st.builds(
        lambda first, second: {"type": "array", "prefixItems": [first, second], "items": False, "minItems": 1},
        children,
        children,
    )


@st.composite
def _objects(draw, children):
    properties = draw(st.dictionaries(st.sampled_from(NAMES), children, max_size=4))
    schema = {"type": "object", "properties": properties}
    required = [name for name in properties if draw(st.booleans())]
    if required:
        schema["required"] = required
    extra = draw(st.sampled_from(["absent", "closed", "open", "map"]))
    if extra != "absent":
        schema["additionalProperties"] = {"closed": False, "open": True, "map": {"type": "integer"}}[extra]
    if draw(st.booleans()) and properties:
        schema["minProperties"] = draw(st.integers(0, len(properties)))
        schema["maxProperties"] = draw(st.integers(max(len(required), schema["minProperties"]), len(properties) + 1))
    return schema


def _combined(children):
    return st.one_of(
        st.lists(children, min_size=1, max_size=3).map(lambda branches: {"anyOf": branches}),
        children.map(lambda branch: {"anyOf": [branch, {"type": "null"}], "description": "May be left open"}),
        st.just(
            {
                "oneOf": [
                    {"type": "string", "maxLength": 5},
                    {"type": "integer"},
                    {"type": "array", "items": {"type": "boolean"}},
                ]
            }
        ),
        children.map(lambda branch: {"allOf": [branch, {"description": "And nothing else"}]}),
        st.just({"type": "array", "items": {"enum": ["a", "b", "c", 1, 2.5]}, "uniqueItems": True, "minItems": 2}),
        st.just(
            {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
                "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
            }
        ),
        st.just(
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}, "required": ["a"]},
                    {"properties": {"a": {"maximum": 9}, "b": {"type": "string"}}},
                ]
            }
        ),
    )


@st.composite
def _conditions(draw, children):
    """Schemas whose keywords look at a whole value; some hold no value at all."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    schema = {"type": "object", "properties": {name: draw(children) for name in names}}
    first, second = names[:2]
    choices = {
        "not": {"required": [first]},
        "if": {"properties": {first: {"type": "string"}}, "required": [first]},
        "then": {"required": [second]},
        "else": {"properties": {second: False}},
        "dependentRequired": {first: [second]},
        "dependentSchemas": {second: {"required": names}},
        "patternProperties": {"^x-[a-z]{2,6}$": draw(children), "^y": {"type": "integer"}},
        "propertyNames": {"maxLength": 14},
        "unevaluatedProperties": False,
        "additionalProperties": {"type": "integer"},
        "minProperties": draw(st.integers(0, 3)),
        "oneOf": [{"required": [first]}, {"required": [second]}],
        "$comment": "nothing more",
    }
    return {**schema, **{word: choices[word] for word in draw(st.sets(st.sampled_from(sorted(choices)), max_size=4))}}


def _lists(children):
    return st.builds(
        lambda items, kind, low, more: {
            "type": "array", "contains": kind, "minContains": low, **more, "items": {"anyOf": [items, kind]},
        },
        children,
        st.sampled_from([{"const": "a"}, {"type": "integer"}, {"type": "string", "minLength": 3}]),
        st.integers(0, 3),
        st.sampled_from([{}, {"maxContains": 4}, {"minItems": 3}, {"uniqueItems": True}, {"maxItems": 2}, {"unevaluatedItems": False}]),
    )  # fmt: skip


def _barred(children):
    return st.builds(
        lambda branch, barred: {"allOf": [branch, {"not": barred}]},
        children,
        st.sampled_from(
            [
                {"type": "null"},
                {"const": "a"},
                {"type": "integer", "multipleOf": 2},
                {"pattern": "^[a-m]"},
                {"maxLength": 3},
                {"enum": ["low", 1, None]},
            ]
        ),
    )


DEFINITIONS = {
    "leaf": {"type": "string", "minLength": 1},
    "tree": {
        "type": "object",
        "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        "required": ["label"],
        "additionalProperties": False,
    },
}
VALUES = st.recursive(
    LEAVES, lambda children: st.one_of(_arrays(children), _objects(children), _combined(children)), max_leaves=6
)


@st.composite
def parameters(draw):
    """Schemas of whole argument objects."""
    schema = draw(_objects(VALUES))
    return {**schema, "$defs": DEFINITIONS}


ANY = st.recursive(
    LEAVES,
    lambda children: st.one_of(
        _arrays(children),
        _objects(children),
        _combined(children),
        _conditions(children),
        _lists(children),
        _barred(children),
    ),
    max_leaves=6,
)
"""Schemas with all keywords; they need not be satisfiable."""
