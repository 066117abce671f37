"""What each parser of `servers` cannot read, as properties of cases; docs/findings.md shows an example of most.

A limit says what the cases that a parser gets wrong have in common, as narrowly as its source and the cases show. Every
other valid case is read exactly.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from generator.formats.wire.encodings import declared_types, depth, plain_values
from generator.formats.wire.format import properties_of, wire_format

Values = list[tuple[Any, Any]]
"""(value, its schema) of every argument."""
Shows = Callable[[Any, Values], bool]


def values_of(case: Any, schemas: dict[str, Any]) -> Values:
    """All arguments of a case with what the tool says of them."""
    return [
        (value, properties_of(schemas[call.name]).get(key, {}))
        for call in case.oracle.tool_calls
        for key, value in call.arguments.items()
    ]


def texts_in(values: Values) -> Iterator[str]:
    return (leaf for value, _ in values for leaf in plain_values(value) if isinstance(leaf, str))


def numbers_in(values: Values) -> Iterator[float]:
    return (
        leaf
        for value, _ in values
        for leaf in plain_values(value)
        if isinstance(leaf, int | float) and not isinstance(leaf, bool)
    )


# ------------------------------------------------------------------------------------------------------ properties


def own_marker(case: Any, values: Values) -> bool:
    """A text holds a marker of the format: the parser looks for markers before it looks for texts."""
    fmt = wire_format(case.format)
    return any(marker in text for text in texts_in(values) for marker in fmt.markers if len(marker) > 1)


def text_holds(*parts: str) -> Shows:
    """A text holds one of these."""
    return lambda case, values: any(part in text for text in texts_in(values) for part in parts)


def whole_number_with_a_point(case: Any, values: Values) -> bool:
    """A parameter of type integer is told as 100.0 or 1e+16, which JSON Schema takes for integers."""
    return any(isinstance(value, float) and "integer" in (declared_types(schema) or ()) for value, schema in values)


def several_types(case: Any, values: Values) -> bool:
    """`type` of a parameter is a list."""
    return any(isinstance(schema, dict) and isinstance(schema.get("type"), list) for _, schema in values)


def may_be_null(case: Any, values: Values) -> bool:
    """A parameter may be null, and is not."""
    return any('"null"' in json.dumps(schema) and value is not None for value, schema in values)


def beyond(limit: int) -> Shows:
    """A whole number is greater than that."""
    return lambda case, values: any(isinstance(number, int) and abs(number) > limit for number in numbers_in(values))


def negative_number(case: Any, values: Values) -> bool:
    """A number is negative: Python's parser makes an operator of the sign."""
    return any(str(number).startswith("-") for number in numbers_in(values))


def no_arguments(case: Any, values: Values) -> bool:
    """A call has no arguments."""
    return any(not call.arguments for call in case.oracle.tool_calls)


def later_call_without_its_name_first(case: Any, values: Values) -> bool:
    """A call after the first does not begin with `{"name":`, by which it is looked for."""
    styles = {(mutation.op, mutation.arg) for mutation in case.mutations}
    other = styles & {("json_style", "pretty"), ("json_style", "pretty_crlf"), ("arguments_first", None)}
    return len(case.oracle.tool_calls) > 1 and bool(other)


def nested(case: Any, values: Values) -> bool:
    """An argument is an object, or a list of more than one thing or of texts."""
    return any(
        isinstance(value, dict) or (isinstance(value, list) and re.search(r'[,"{]', json.dumps(value)))
        for value, _ in values
    )


def text_is(*words: str) -> Shows:
    """A text is one of these words."""
    return lambda case, values: any(text.lower() in words for text in texts_in(values))


def python_literal(case: Any, values: Values) -> bool:
    """A text is a literal of Python or JSON, such as null or 1e5, or stands in quotes."""
    return any(_is_literal(text) or re.fullmatch(r"([\"']).*\1", text, re.DOTALL) for text in texts_in(values))


def _is_literal(text: str) -> bool:
    for read in (ast.literal_eval, json.loads):
        with suppress(ValueError, SyntaxError):
            read(text)
            return True
    return False


def null_inside(case: Any, values: Values) -> bool:
    """An argument is null, or holds null."""
    return any(leaf is None for value, _ in values for leaf in plain_values(value))


def exponent_without_a_point(case: Any, values: Values) -> bool:
    """A number is told as 1e+22."""
    return any(re.fullmatch(r"-?\d+e.*", repr(number)) for number in numbers_in(values))


def tag_or_call(case: Any, values: Values) -> bool:
    """A text holds what looks like a marker, `<...>`, or like a call in JSON."""
    return any(re.search(r"<\S+?>|\"name\"", text) for text in texts_in(values))


def many_digits(case: Any, values: Values) -> bool:
    """A number has 16 digits or more that count."""
    return any(
        len(re.sub(r"e.*|\D", "", repr(number)).strip("0")) > 15
        for number in numbers_in(values)
        if isinstance(number, float)
    )


def name_matches(pattern: str) -> Shows:
    """The name of a tool holds this."""
    return lambda case, values: any(re.search(pattern, call.name) for call in case.oracle.tool_calls)


def parameter_is(*names: str) -> Shows:
    """A parameter has one of these names."""
    return lambda case, values: any(name in call.arguments for call in case.oracle.tool_calls for name in names)


def empty_text_inside(case: Any, values: Values) -> bool:
    """A list or object holds an empty text."""
    return any(not isinstance(value, str) and "" in plain_values(value) for value, _ in values)


def deeper_than(levels: int) -> Shows:
    """A value is nested deeper than that."""
    return lambda case, values: any(depth(value) > levels for value, _ in values)


def object_as_text(case: Any, values: Values) -> bool:
    """A text reads as an object or a list."""
    return any(text.lstrip()[:1] in ("{", "[") and _is_literal(text) for text in texts_in(values))


def many_arguments(case: Any, values: Values) -> bool:
    """More than seven arguments in all: a regular expression takes exponential time, so that these cases are not run."""
    return len(values) > 7


LIMITS: dict[str, dict[str, Shows]] = {
    "sglang_hermes": {"markers in texts": own_marker},
    "sglang_k2_horizon": {"markers in texts": own_marker},
    "sglang_llama3": {
        "later calls are looked for by their name": later_call_without_its_name_first,
        "markers in texts": own_marker,
    },
    "sglang_cohere_command4": {"whole numbers of more than 64 bits become floats": beyond(2**63)},
    "sglang_deepseekv3": {"markers in texts": own_marker},
    "sglang_deepseekv31": {"markers in texts": own_marker},
    "sglang_muse": {"texts that read as objects are objects": object_as_text},
    "sglang_qwen3_coder": {
        "whole numbers with a point stay texts": whole_number_with_a_point,
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "sglang_mimo": {
        "entities in texts": text_holds("&lt;", "&gt;", "&amp;", "&quot;"),
        "several types": several_types,
        "whole numbers with a point stay texts": whole_number_with_a_point,
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "sglang_dots": {
        "whole numbers with a point stay texts": whole_number_with_a_point,
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "sglang_hunyuan": {"several types": several_types},
    "sglang_hunyuan_preview": {"several types": several_types},
    "sglang_glm45": {"texts that are literals are evaluated": python_literal},
    "sglang_glm47": {"texts that are literals are evaluated": python_literal},
    "sglang_ling3": {"texts that are literals are evaluated": python_literal},
    "sglang_spark25": {
        "several types": several_types,
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "sglang_minimax_m2": {
        "what may be null is null": may_be_null,
        "the texts null and none are null": text_is("null", "none", "nil"),
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "sglang_minimax_m3": {
        "empty texts in lists are objects": empty_text_inside,
        "whole numbers with a point stay texts": whole_number_with_a_point,
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "sglang_step3": {"'<' in a text": text_holds("<")},
    "sglang_gemma4": {"null is a text": null_inside, "numbers such as 1e+22 are texts": exponent_without_a_point},
    "sglang_pythonic": {
        "negative numbers": negative_number,
        "markers in texts": text_holds("<|python_start|>", "<|python_end|>"),
        "exponential time": many_arguments,
    },
    "sglang_lfm2": {"markers in texts": own_marker},
    "mlx_json_tools": {"markers in texts": own_marker},
    "mlx_kimi_k2": {"markers in texts": own_marker},
    "mlx_qwen3_coder": {"whole numbers become floats on the way": beyond(2**53)},
    "mlx_pythonic": {"markers in texts": own_marker},
    "mlx_longcat": {"calls without arguments": no_arguments},
    "mlx_minimax_m2": {
        "what may be null is null": may_be_null,
        "the texts null and none are null": text_is("null", "none", "nil"),
        "whole numbers of parameters of type number become floats": beyond(2**53),
    },
    "agent_tool_parser": {
        "names are lowered": name_matches("[A-Z]"),
        "what parameters called arguments or parameters hold is taken for the arguments": parameter_is(
            "arguments", "parameters"
        ),
        "deep values": deeper_than(100),
        "whole numbers of more than 64 bits become floats": beyond(2**63),
        "a brace as a key": text_is("}"),
        "numbers of 17 digits are rounded": many_digits,
        "markers of any format and calls in texts": tag_or_call,
    },
    "mlx_mistral": {"names with a dot": name_matches(r"\.")},
    "mlx_gemma4": {"names with hyphens or dots": name_matches("[.-]")},
    "mlx_function_gemma": {
        "names with hyphens or dots": name_matches("[.-]"),
        "objects and lists": nested,
        "braces in texts": text_holds("}"),
    },
}
"""By parser: the name of the limit → whether a case shows it."""
