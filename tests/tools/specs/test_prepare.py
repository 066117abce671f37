"""Faults that show when the tools are made ready for rows: schemas, expressions, verbalizers, kinds."""

from pathlib import Path
from textwrap import indent

import pytest
from workbench import workshop

from generator.core.errors import GeneratorError, SchemaError, SpecError

PING = """\
tools:
  - function:
      name: first_tool
      parameters: {{type: object, properties: {{n: {{type: integer}}}}}}
  - function:
      name: ping
      parameters: {parameters}
    returns: {returns}
{rest}
"""
PARAMETERS = (
    "{type: object, properties: {n: {type: integer, minimum: 1, maximum: 9}, day: {type: string, format: date}}}"
)
RETURNS = (
    "{type: object, properties: {a: {type: integer, minimum: 1, maximum: 9}, b: {type: integer}}, required: [a, b]}"
)
WHERE = "shop.yaml:5: ping: "


def refusal(folder: Path, parameters: str = PARAMETERS, returns: str = RETURNS, rest: str = "") -> str:
    text = PING.format(parameters=parameters, returns=returns, rest=indent(rest, "    "))
    with pytest.raises(GeneratorError) as caught:
        workshop(folder, text=text)
    assert isinstance(caught.value, SpecError)
    return str(caught.value)


def of_n(schema: str) -> str:
    return f"{{type: object, properties: {{n: {schema}}}, required: [n]}}"


def test_what_is_right_is_not_refused(tmp_path: Path):
    assert workshop(tmp_path, text=PING.format(parameters=PARAMETERS, returns=RETURNS, rest="")).names == (
        "first_tool",
        "ping",
    )


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        # not valid JSON Schema
        (of_n("{type: whole}"), "/properties/n/type"),
        (of_n("{type: integer, minimum: low}"), "/properties/n/minimum"),
        (of_n("{enum: red}"), "/properties/n/enum"),
        ("{type: object, required: n}", "/required"),
        ("{type: object, properties: [n]}", "/properties"),
        (of_n("{type: string, pattern: '['}"), "/properties/n"),
        # not handled
        (of_n("{$ref: 'https://example.com/n.json'}"), "/properties/n/$ref"),
        (of_n("{$ref: '#/$defs/nothing'}"), "/properties/n/$ref"),
        (of_n("{$dynamicRef: '#n'}"), "$dynamicRef"),
        (of_n("{$vocabulary: {}}"), "$vocabulary"),
        # cannot be satisfied
        (of_n("{type: integer, minimum: 5, maximum: 4}"), "/properties/n"),
        (of_n("{type: string, minLength: 3, maxLength: 2}"), "/properties/n"),
        (of_n("{type: integer, enum: [a, b]}"), "/properties/n"),
        (of_n("{type: array, minItems: 2, maxItems: 1}"), "/properties/n"),
        (of_n("{allOf: [{type: string}, {type: integer}]}"), "/properties/n"),
        (of_n("{type: integer, minimum: 1, maximum: 9, multipleOf: 10}"), "/properties/n"),
        ("{type: object, properties: {}, required: [n], additionalProperties: false}", "n"),
    ],
)
def test_schemas_of_parameters(tmp_path: Path, parameters: str, what: str):
    message = refusal(tmp_path, parameters)
    assert f"{WHERE}parameters" in message
    assert what in message
    with pytest.raises(SchemaError):
        workshop(tmp_path, text=PING.format(parameters=parameters, returns=RETURNS, rest=""))


def result(schema: str) -> str:
    return f"{{type: object, properties: {{before: {{type: integer}}, x: {schema}, after: {{type: integer}}}}, required: [x]}}"


@pytest.mark.parametrize(
    ("returns", "what"),
    [
        (result("{type: whole}"), "whole"),
        (result("{type: integer, minimum: 5, maximum: 4}"), "x"),
        (result("{type: array, items: {type: string, minLength: 3, maxLength: 2}}"), "x"),
        (result("{$ref: '#/$defs/nothing'}"), "nothing"),
        (result("{type: string, x-kind: citty}"), 'did you mean "city"?'),
        (result("{type: integer, x-compute: '2 ** 9'}"), "x-compute of 'x': '2 ** 9': Pow is not known here"),
        (result("{type: integer, x-compute: '1 +'}"), "x-compute of 'x': '1 +': not an expression"),
        (result("{type: string, x-compute: 'before.real'}"), "a dot is known only in args.NAME"),
        (result("{type: string, x-when: later}"), "later"),
        (result("{type: string, x-form: n}"), "x-form"),
    ],
)
def test_schemas_of_results(tmp_path: Path, returns: str, what: str):
    message = refusal(tmp_path, returns=returns)
    assert WHERE in message
    assert what in message


@pytest.mark.parametrize(
    "keyword",
    [
        "x-from: nothing",
        "x-from: n/deeper",
        "x-minimum: nothing",
        "x-maximum: nothing",
        "x-compute: 'args.nothing + before'",
        "x-compute: 'nothing + 1'",
        "x-compute: 'after + 1'",  # only what stands before is known
    ],
)
def test_keywords_of_results_name_what_is_there(tmp_path: Path, keyword: str):
    """A slip of the pen would otherwise switch the keyword off without a word."""
    message = refusal(tmp_path, returns=result(f"{{type: integer, {keyword}}}"))
    assert WHERE in message
    assert ("nothing" in message) or ("n/deeper" in message) or ("after" in message)


@pytest.mark.parametrize(
    ("rest", "what"),
    [
        ("phrases: {request: ['ping {n:numbr}']}", "there is no verbalizer 'numbr'"),
        ("phrases: {question: ['why {day:dat}']}", "there is no verbalizer 'dat'"),
        ("phrases: {again: ['with {n:eur} {n:dollars}']}", "there is no verbalizer 'dollars'"),
        ("phrases: {slots: {n: ['to {n:no}']}}", "there is no verbalizer 'no'"),
        ("phrases: {answer: ['It is {a:wrds}.']}", "there is no verbalizer 'wrds'"),
        ("phrases: {answer: ['It is {args.n:wrds}.']}", "there is no verbalizer 'wrds'"),
        ("kinds: {n: citty}", 'did you mean "city"?'),
        ("examples: {n: [10]}", "10 is not valid here"),
    ],
)
def test_what_stands_beside_the_function(tmp_path: Path, rest: str, what: str):
    message = refusal(tmp_path, rest=rest)
    assert "shop.yaml:" in message
    assert what in message
