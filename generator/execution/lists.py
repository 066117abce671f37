"""The part of a result function that makes a list: elements that differ, as many as are wanted."""

from collections.abc import Callable
from typing import Any, NamedTuple

from generator.execution.code import ResultFunction
from generator.written import Code, indented


class ListShape(NamedTuple):
    """What a schema says of a list as a whole."""

    fewest: int
    most: int
    limit: str | None
    """The argument that says how many at most."""
    may_repeat: bool
    marks: tuple[str, ...]
    """Properties that must not occur twice; without any, whole elements must not."""
    is_object: bool
    """Whether elements are made property by property, so that they are objects for sure."""
    always: frozenset[str]
    """Properties that every element has then."""
    arrange: Callable[..., list[Any]] | None


def marks_of(properties: dict[str, Any], echoed: set[str]) -> tuple[str, ...]:
    """What must not occur twice in a list: an element's first property, its name and its title.

    What an element takes from the arguments is the same in all of them and tells nothing apart.
    """
    own = [key for key in properties if key not in echoed]
    return tuple(dict.fromkeys([*own[:1], *(key for key in ("name", "title") if key in own)]))


def write_list(shape: ListShape, element: Code, function: ResultFunction) -> Code:
    """The code for a list.

    Elements that are like another one are made again, six times as often as elements are wanted; where there are too few
    then, the rest are alike, if they may be (`spare`), or there is more patience for the fewest that there must be.
    """
    wanted = function.name("wanted")
    is_named = element.value.isidentifier()
    value = element.value if is_named else function.name("value")
    first = [
        f"{wanted} = {shape.fewest} + int({function.rand} * {shape.most - shape.fewest + 1})",
        *_capped(shape, wanted, function),
    ]
    each = [*function.again, *element.lines, *([] if is_named else [f"{value} = {element.value}"])]
    fill = _fill if shape.may_repeat else _fill_patiently
    lines, made = fill(shape, each, value, wanted, function)
    arranged = made if shape.arrange is None else f"{function.keep('arrange', shape.arrange)}({made}, arguments)"
    return Code([*first, *lines], arranged)


def _fill(
    shape: ListShape, each: list[str], value: str, wanted: str, function: ResultFunction
) -> tuple[list[str], str]:
    """The lines for a list whose elements may be alike where it cannot be helped, and what holds it then."""
    made, spare, fewest = function.name("made"), function.name("spare"), function.name("fewest")
    marks = _marks(shape, function, value)
    lines = [
        f"{fewest} = {wanted} if {wanted} < {shape.fewest} else {shape.fewest}",
        f"{made} = []; {spare} = []",
        *marks.before,
        f"for _ in range({wanted} * 6):",
        *indented(
            [
                *each,
                *marks.inside,
                f"if {marks.is_new}:",
                *indented([*marks.remember, f"{made}.append({value})", f"if len({made}) == {wanted}: break"]),
                f"elif len({spare}) < {fewest}:",
                f" {spare}.append({value})",
            ]
        ),
        f"if len({made}) < {fewest}:",
        f" {made} += {spare}[:{fewest} - len({made})]",
    ]
    return lines, made


def _fill_patiently(
    shape: ListShape, each: list[str], value: str, wanted: str, function: ResultFunction
) -> tuple[list[str], str]:
    """The same for a list whose elements must differ."""
    made, tries, fewest = function.name("made"), function.name("tries"), function.name("fewest")
    marks = _marks(shape, function, value)
    lines = [
        f"{fewest} = {wanted} if {wanted} < {shape.fewest} else {shape.fewest}",
        f"{tries} = {wanted} * 6",
        f"{made} = []",
        *marks.before,
        f"while {tries} and len({made}) < {wanted}:",
        *indented(
            [
                f"{tries} -= 1",
                *each,
                *marks.inside,
                f"if {marks.is_new}:",
                *indented([*marks.remember, f"{made}.append({value})"]),
                f"elif not {tries} and len({made}) < {fewest}:",
                f" {tries} = 60 * {fewest}; {wanted} = {fewest}; {fewest} = 0",
            ]
        ),
    ]
    return lines, made


def _capped(shape: ListShape, wanted: str, function: ResultFunction) -> list[str]:
    if shape.limit is None:
        return []
    limit = function.argument(shape.limit, "None")
    return [f"if type({limit}) is int:", f" {wanted} = max(min({wanted}, {limit}), {min(shape.fewest, 1)})"]


class _Marks(NamedTuple):
    """How elements are told apart."""

    before: list[str]
    """Lines before the loop."""
    inside: list[str]
    """Lines in it."""
    is_new: str
    """The test for an element that is like no other."""
    remember: list[str]


def _marks(shape: ListShape, function: ResultFunction, value: str) -> _Marks:
    """The code that tells elements apart.

    Values are compared as `repr` writes them: 1, 1.0 and True differ. Text is its own mark, as no two texts are written
    alike, and the marks of everything else are tuples, so that they are no text.
    """
    if shape.marks and not shape.is_object:
        seen, mark, marks = function.name("seen"), function.name("marks"), function.keep("marks_in", _marks_in(shape.marks))
        inside = [f"{mark} = {marks}({value})"]
        return _Marks([f"{seen} = set()"], inside, f"{seen}.isdisjoint({mark})", [f"{seen}.update({mark})"])
    before, inside, tests, remember = [], [], [], []
    for key in shape.marks or (None,):
        seen, mark = function.name("seen"), function.name("mark")
        before.append(f"{seen} = set()")
        tests.append(f"{mark} not in {seen}")
        if key is None or key in shape.always:
            inside += [
                f"{mark} = {value}" if key is None else f"{mark} = {value}[{key!r}]",
                f"if type({mark}) is not str: {mark} = (repr({mark}),)",
            ]
            remember.append(f"{seen}.add({mark})")
        else:
            inside += [
                f"{mark} = {value}.get({key!r}, ABSENT)",
                f"if type({mark}) is not str and {mark} is not ABSENT: {mark} = (repr({mark}),)",
            ]
            remember.append(f"if {mark} is not ABSENT: {seen}.add({mark})")
    return _Marks(before, inside, " and ".join(tests), remember)


def _marks_in(keys: tuple[str, ...]) -> Callable[[Any], list[str]]:
    """The same for elements that may be anything."""

    def marks(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [f"{key}={value[key]!r}" for key in keys if key in value]
        return [repr(value)]

    return marks
