"""Reading tool spec files: every shape they may have, and one clear message for each thing that is wrong."""

import json
from pathlib import Path
from textwrap import dedent, indent

import pytest
import yaml

from generator.core.errors import SpecError
from generator.core.toolbox import AnswerPhrase, Link, Pick, Relation, SlotFrames
from generator.tools.specs import load_toolbox

ORDERS = """\
type: function
function:
  name: find_orders
  description: Find orders.
  parameters:
    type: object
    properties:
      customer: {type: string}
      status: {type: string, enum: [open, in_transit]}
      gift: {type: boolean}
      note: {type: [string, "null"]}
      from: {type: string, format: date}
      to: {type: string, format: date}
      lines:
        type: array
        items: {type: object, properties: {product: {type: string}, quantity: {type: integer}}}
    required: [customer]
returns:
  type: object
  properties:
    orders:
      type: array
      items: {type: object, properties: {order_id: {type: string}, total: {type: number}}}
    status: {type: string, enum: [open, in_transit]}
"""
CANCEL = """\
type: function
function:
  name: cancel_order
  parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
"""


def write(folder: Path, text: str, name: str = "tools.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(*paths: Path) -> str:
    with pytest.raises(SpecError) as caught:
        load_toolbox(paths)
    return str(caught.value)


TWO = (yaml.safe_load(ORDERS), yaml.safe_load(CANCEL))


class TestShapes:
    """One tool, a list, or `{"tools": [...]}`; YAML, JSON or JSONL."""

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("a.yaml", yaml.safe_dump([*TWO])),
            ("a.yml", yaml.safe_dump({"tools": [*TWO]})),
            ("a.json", json.dumps(TWO)),
            ("a.json", json.dumps({"tools": [*TWO], "$schema": "./tool-spec.json"}, indent=2)),
            ("a.jsonl", "\n".join(map(json.dumps, TWO)) + "\n\n"),
            ("a.jsonl", json.dumps(TWO)),
            ("a.yaml", "\ufeff" + yaml.safe_dump([*TWO])),
        ],
    )
    def test_all_say_the_same(self, tmp_path: Path, name: str, text: str):
        toolbox = load_toolbox([write(tmp_path, text, name)])
        assert list(toolbox) == ["find_orders", "cancel_order"]
        assert toolbox["find_orders"].tool.parameters == TWO[0]["function"]["parameters"]
        assert toolbox["find_orders"].returns == TWO[0]["returns"]
        assert toolbox["cancel_order"].returns is None
        assert {spec.domain for spec in toolbox.values()} == {"a"}

    @pytest.mark.parametrize(("name", "text"), [("a.yaml", CANCEL), ("a.json", json.dumps(TWO[1]))])
    def test_one_tool_alone(self, tmp_path: Path, name: str, text: str):
        assert list(load_toolbox([write(tmp_path, text, name)])) == ["cancel_order"]

    def test_a_bare_function_is_a_tool(self, tmp_path: Path):
        bare = {"name": "ping", "description": "Ping.", "parameters": {"type": "object"}, "strict": True, "kinds": {}}
        (spec,) = load_toolbox([write(tmp_path, json.dumps(bare), "a.json")]).values()
        assert (spec.tool.name, spec.tool.description, spec.tool.strict) == ("ping", "Ping.", True)
        assert spec.tool.parameters == {"type": "object"}

    def test_a_tool_needs_only_a_name(self, tmp_path: Path):
        (spec,) = load_toolbox([write(tmp_path, "function: {name: ping}")]).values()
        assert (spec.tool.description, spec.tool.parameters, spec.returns) == (None, None, None)

    def test_parameters_stay_as_they_were_written(self, tmp_path: Path):
        parameters = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"x": {"enum": ["b", "a", None, 1.5]}},
            "properties": {"z": {"$ref": "#/$defs/x"}, "a": {"anyOf": [{"type": "null"}, {"const": True}]}},
            "x-vendor": {"kept": [1, 2]},
        }
        path = write(tmp_path, json.dumps({"name": "ping", "parameters": parameters}), "a.json")
        assert json.dumps(load_toolbox([path])["ping"].tool.parameters) == json.dumps(parameters)

    def test_files_in_order_and_line_of_each_tool(self, tmp_path: Path):
        first = write(
            tmp_path, f"# orders\ntools:\n- {indent(ORDERS, '  ').strip()}\n- {indent(CANCEL, '  ').strip()}\n"
        )
        second = write(tmp_path, '\n{"name": "ping"}\n{"name": "pong"}\n', "more.jsonl")
        toolbox = load_toolbox([second, first])
        assert list(toolbox) == ["ping", "pong", "find_orders", "cancel_order"]
        lines = (ORDERS.count("\n") + 3, 3)
        assert toolbox["cancel_order"].where == f"{first}:{lines[0]}"
        assert toolbox["pong"].where == f"{second}:{lines[1]}"
        assert [spec.domain for spec in toolbox.values()] == ["more", "more", "tools", "tools"]


class TestBesideTheFunction:
    def test_links_one_or_several(self, tmp_path: Path):
        text = CANCEL + 'links: {order_id: ["find_orders#/orders/*/order_id", "last_order#/order_id"]}'
        spec = load_toolbox([write(tmp_path, text)])["cancel_order"]
        assert spec.links == (
            Link("order_id", "find_orders", "orders/*/order_id"),
            Link("order_id", "last_order", "order_id"),
        )

    def test_a_link_to_a_tool_that_is_not_loaded_does_no_harm(self, tmp_path: Path):
        text = CANCEL + 'links: {order_id: "find_orders#/orders/*/order_id"}'
        assert load_toolbox([write(tmp_path, text)])["cancel_order"].links

    def test_relations_kinds_and_examples(self, tmp_path: Path):
        text = ORDERS + dedent(
            """
            relations: ["from < to", "customer != note"]
            kinds: {customer: person_name}
            examples: {customer: [Ada, Bob], lines/*/quantity: [1, 2], note: [null]}
            """
        )
        spec = load_toolbox([write(tmp_path, text)])["find_orders"]
        assert spec.relations == (Relation("from", "<", "to"), Relation("customer", "!=", "note"))
        assert spec.kinds == {"customer": "person_name"}
        assert spec.examples == {"customer": ("Ada", "Bob"), "lines/*/quantity": (1, 2), "note": (None,)}

    def test_phrases(self, tmp_path: Path):
        text = ORDERS + dedent(
            """
            phrases:
              request: list orders
              question: ["what did {customer} order"]
              vary: [customer]
              slots:
                customer: ["of {customer}"]
                lines/*: ["{lines/*/quantity} {lines/*/product}"]
              synonyms: {status: {in_transit: [on the way]}}
              pick: {orders: [{say: the cheapest, by: min total}]}
              each: {orders: ["{order_id}"]}
              answer:
                - "{orders#} orders: {orders} for {args.customer}."
                - {when: {status: open}, say: "Still open."}
            """
        )
        phrases = load_toolbox([write(tmp_path, text)])["find_orders"].phrases
        assert phrases.request == ("list orders",)
        assert phrases.slots["customer"] == SlotFrames(frames=("of {customer}",))
        assert phrases.synonyms == {"status": (("in_transit", ("on the way",)),)}
        assert phrases.pick == {"orders": (Pick("the cheapest", "min total"),)}
        assert phrases.answer[1] == AnswerPhrase("Still open.", (("status", "open"),))

    @pytest.mark.parametrize("suffix", ["yaml", "json"])
    @pytest.mark.parametrize(
        ("schema", "values"),
        [
            ({"type": "boolean"}, [True, False]),
            ({"type": ["boolean", "null"]}, [True, None]),
            ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, [False, None]),
            ({"enum": [1, 2.5, "three", None]}, [1, 2.5, "three", None]),
            ({"anyOf": [{"type": "integer", "enum": [1, 2]}, {"type": "null"}]}, [2, None]),
        ],
    )
    def test_clauses_belong_to_values_also_where_keys_are_text(self, tmp_path: Path, suffix: str, schema, values):
        """JSON has no keys but text: "true" and "null" mean the values that the schema has."""
        keys = {value: [f"clause {'abcd'[index]}"] for index, value in enumerate(values)}
        tool = {
            "name": "ping",
            "parameters": {"type": "object", "properties": {"x": schema}},
            "phrases": {"slots": {"x": keys}},
        }
        text = json.dumps(tool) if suffix == "json" else yaml.safe_dump(tool, sort_keys=False)
        clauses = load_toolbox([write(tmp_path, text, f"a.{suffix}")])["ping"].phrases.slots["x"].clauses
        assert [(value, type(value)) for value, _ in clauses] == [(value, type(value)) for value in values]

    @pytest.mark.parametrize("suffix", ["yaml", "json"])
    def test_frames_for_all_other_values_stand_under_a_star(self, tmp_path: Path, suffix: str):
        frames = {"null": ["in any room"], "*": ["in the {x} room"]}
        parameters = {"type": "object", "properties": {"x": {"type": ["string", "null"]}}}
        tool = {"name": "ping", "parameters": parameters, "phrases": {"slots": {"x": frames}}}
        path = write(tmp_path, json.dumps(tool) if suffix == "json" else yaml.safe_dump(tool), f"a.{suffix}")
        slot = load_toolbox([path])["ping"].phrases.slots["x"]
        assert slot == SlotFrames(frames=("in the {x} room",), clauses=((None, ("in any room",)),))
        tool["phrases"] = {"slots": {"x": {"*": ["in the {y} room"]}}}
        assert "there is no 'y'" in refusal(write(tmp_path, json.dumps(tool), "b.json"))

    def test_one_value_may_have_a_form_twice(self, tmp_path: Path):
        text = ORDERS + "phrases: {synonyms: {status: {in_transit: [on the way, On the way]}}}"
        assert load_toolbox([write(tmp_path, text)])["find_orders"].phrases.synonyms


FAULTS: list[tuple[str, str, str]] = [
    # key and value beside the function, place, what the message says
    ("phrase: {}", "phrase", 'unknown key (did you mean "phrases"?)'),
    ("phrases: {requests: [go]}", "phrases.requests", 'unknown key (did you mean "request"?)'),
    ("phrases: {pick: {orders: [{say: it, by: first, why: x}]}}", "phrases.pick.orders[0].why", "unknown key"),
    ("returns: [1]", "returns", "a mapping is expected, not [1]"),
    ("examples: {customer: Ada}", "examples.customer", 'a list is expected, not "Ada"'),
    ("kinds: {customer: 3}", "kinds.customer", "text is expected, not 3"),
    ("phrases: {pick: {orders: [{say: it, by: cheapest}]}}", "phrases.pick.orders[0].by", "text that matches"),
    # slots that are not there
    ("phrases: {request: ['find {custmer}']}", "phrases.request[0]", "no 'custmer' (did you mean \"customer\"?)"),
    ("phrases: {question: ['who is {name}']}", "phrases.question[0]", "there is no 'name' (known: customer"),
    ("phrases: {want: ['orders by {customer/name}']}", "phrases.want[0]", "there is no 'customer/name'"),
    ("phrases: {again: ['of {n?one|many}']}", "phrases.again[0]", "there is no 'n'"),
    ("phrases: {entry: ['{lines/*/prodct}']}", "phrases.entry[0]", 'did you mean "lines/*/product"?'),
    ("phrases: {follow_up: ['and {it}']}", "phrases.follow_up[0]", "there is no 'it'"),
    (
        "phrases: {slots: {custmer: ['of {customer}']}}",
        "phrases.slots.custmer",
        "find_orders has no parameter 'custmer'",
    ),
    ("phrases: {slots: {customer: ['of {name}']}}", "phrases.slots.customer", "there is no 'name'"),
    # the same words for different arguments
    (
        "phrases: {slots: {customer: ['for {customer}', 'of {customer}'], note: ['with {note}', 'For {note}']}}",
        "phrases.slots.note",
        "'for {customer}' has the same words",
    ),
    ("phrases: {can: ['Open it']}", "phrases.can[0]", "stands after 'I can'"),
    ("phrases: {vary: [city]}", "phrases.vary", "no parameter 'city'"),
    ("kinds: {custmer: city}", "kinds.custmer", "no parameter 'custmer' (did you mean \"customer\"?)"),
    ("examples: {name: [Ada]}", "examples.name", "no parameter 'name'"),
    ("links: {order: 'find_orders#/orders/*/order_id'}", "links.order", "no parameter 'order'"),
    ("relations: ['from < until']", "relations", "no parameter 'until'"),
    ("phrases: {each: {order: ['x']}}", "phrases", "has no 'order' (did you mean \"orders\"?)"),
    ("phrases: {each: {orders: ['{orderid}']}}", "phrases.each.orders", 'did you mean "orders/*/order_id"?'),
    ("phrases: {pick: {order: [{say: it, by: first}]}}", "phrases", "has no 'order'"),
    ("phrases: {pick: {orders: [{say: it, by: min price}]}}", "phrases.pick.orders", "have no 'price'"),
    ("phrases: {tally: {order: [{say: are open, by: count open true}]}}", "phrases", "has no 'order'"),
    ("phrases: {tally: {orders: [{say: are open, by: open}]}}", "phrases.tally.orders[0].by", "text that matches"),
    ("phrases: {tally: {orders: [{say: are open, by: count open true}]}}", "phrases.tally.orders", "have no 'open'"),
    ("phrases: {tally: {orders: [{say: are dear, by: count total a lot}]}}", "phrases.tally.orders", "as JSON"),
    ("phrases: {tally: {orders: [{say: '{total} dear', by: count total 1}]}}", "phrases.tally.orders", "a verb phrase"),
    ("phrases: {tally: {orders: [{say: come to a lot, by: sum total}]}}", "phrases.tally.orders", "the sum of numbers"),
    ("phrases: {answer: ['{total} in all.']}", "phrases.answer[0]", "there is no 'total'"),
    ("phrases: {answer: ['For {args.name}.']}", "phrases.answer[0]", "there is no 'name'"),
    ("phrases: {answer: [{when: {state: open}, say: Open.}]}", "phrases.answer[0]", "has no 'state'"),
    # templates that are none
    ("phrases: {request: ['find {customer']}", "phrases.request[0]", "a brace stands alone"),
    ("phrases: {request: ['find 2 orders']}", "phrases.request[0]", "a digit stands outside a slot"),
    ("phrases: {request: ['find ٣ orders']}", "phrases.request[0]", "a digit stands outside a slot"),
    ("phrases: {request: ['']}", "phrases.request[0]", "must not be empty"),
    ("phrases: {request: ['orders ']}", "phrases.request[0]", "begin or end with a space"),
    ("phrases: {slots: {customer: ['of {customer:li teral}']}}", "phrases.slots.customer", "is not a slot"),
    ("phrases: {answer: ['The {n?order} is there.']}", "phrases.answer[0]", "is not a slot"),
    ("phrases: {slots: {gift: {true: ['for {customer}']}}}", "phrases.slots.gift", "no slots and no digits"),
    ("phrases: {slots: {gift: {true: ['as 1 gift']}}}", "phrases.slots.gift", "no slots and no digits"),
    ("phrases: {several: ['find orders of {customer}']}", "phrases.several[0]", "slot"),
    # clauses and synonyms
    ("phrases: {slots: {gift: {maybe: [perhaps]}}}", "phrases.slots.gift", "'maybe' is not a value of gift"),
    ("phrases: {slots: {gift: {true: [yes], false: [Yes]}}}", "phrases.slots.gift", "'yes' stands for two values"),
    ("phrases: {synonyms: {status: {opn: [new]}}}", "phrases.synonyms.status", 'did you mean "open"?'),
    (
        "phrases: {synonyms: {status: {open: [new], in_transit: [new]}}}",
        "phrases.synonyms.status",
        "'new' stands for two",
    ),
    # examples that are not valid
    ("examples: {customer: [Ada, 3]}", "examples.customer[1]", "3 is not valid here"),
    ("examples: {status: [closed]}", "examples.status[0]", "'closed' is not valid here"),
    ("examples: {from: [2026-02-30]}", "examples.from[0]", "'2026-02-30' is not valid here"),
    ("examples: {lines/*/quantity: [many]}", "examples.lines/*/quantity[0]", "'many' is not valid here"),
    # links and relations
    ("links: {customer: find_orders}", "links.customer", "is not of the form tool#/path/*/field"),
    ("links: {customer: '#/orders'}", "links.customer", "is not of the form"),
    ("links: {customer: 'a#/b/*/c/*/d'}", "links.customer", "at most one *"),
    ("relations: ['from > to']", "relations[0]", "is not 'left < right' or 'left != right'"),
    ("relations: ['from<to']", "relations[0]", "is not 'left < right'"),
]


@pytest.mark.parametrize(("key", "place", "what"), FAULTS, ids=[key[:60] for key, _, _ in FAULTS])
def test_what_is_wrong_beside_the_function_is_told(tmp_path: Path, key: str, place: str, what: str):
    name = key.partition(":")[0]
    base = (
        "".join(line + "\n" for line in ORDERS.splitlines()) if name != "returns" else ORDERS.partition("returns:")[0]
    )
    path = write(tmp_path, f"- {indent(base, '  ').strip()}\n  {key}\n")
    message = refusal(path)
    line = base.count("\n") + 1
    assert message.startswith(f"{path}:{line}: "), message
    assert place in message
    assert what in message
    assert "\n" not in message


class TestPlaces:
    """The line is that of the value at fault, not of the tool."""

    def test_deep_inside_a_yaml_file(self, tmp_path: Path):
        path = write(tmp_path, ORDERS + "phrases:\n  request:\n    - list orders\n    - list {orders}\n")
        assert refusal(path).startswith(f"{path}:{ORDERS.count(chr(10)) + 4}: phrases.request[1]: 'list {{orders}}'")

    def test_deep_inside_a_json_file(self, tmp_path: Path):
        tool = {"name": "ping", "phrases": {"request": ["go", "go {there}"]}}
        text = json.dumps({"tools": [tool]}, indent=2)
        path = write(tmp_path, text, "a.json")
        line = next(n for n, content in enumerate(text.splitlines(), start=1) if "there" in content)
        assert refusal(path).startswith(f"{path}:{line}: tools[0].phrases.request[1]: ")

    def test_in_a_line_of_a_jsonl_file(self, tmp_path: Path):
        path = write(tmp_path, '{"name": "a"}\n\n{"name": "b", "kinds": {"x": "city"}}\n', "a.jsonl")
        assert refusal(path).startswith(f"{path}:3: kinds.x: b has no parameter 'x'")

    @pytest.mark.parametrize(
        ("key", "place"),
        [
            ("phrases: {answer: [{say: Done.}]}", "phrases.answer[0].when: this key is missing"),
            (
                "phrases: {answer: [3]}",
                "phrases.answer[0]: text, or a mapping {when: values, say: text}, is expected, not 3",
            ),
            (
                "phrases: {slots: {customer: 'of {customer}'}}",
                "phrases.slots.customer: a list or a mapping is expected",
            ),
            ("phrases: {slots: {gift: {true: as a gift}}}", "phrases.slots.gift.true: a list is expected"),
            ("links: {customer: 3}", "links.customer: text, or a list of texts, is expected, not 3"),
        ],
    )
    def test_what_may_be_written_in_two_ways(self, tmp_path: Path, key: str, place: str):
        """The path holds only what stands in the file, no names of our classes."""
        path = write(tmp_path, ORDERS + key + "\n")
        message = refusal(path)
        assert f"{path}:{ORDERS.count(chr(10)) + 1}: {place}" in message
        assert "Model" not in message

    def test_several_faults_of_shape_are_told_together(self, tmp_path: Path):
        path = write(tmp_path, "function: {name: 'no spaces', parameter: {}}\nreturn: {}\n")
        lines = refusal(path).splitlines()
        assert len(lines) == 3
        assert lines[0].startswith(f"{path}:1: function.name: text that matches")
        assert 'function.parameter: unknown key (did you mean "parameters"?)' in lines[1]
        assert lines[2] == f'{path}:2: return: unknown key (did you mean "returns"?)'


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("a.yaml", "tools:\n  - {name: a\n", "a.yaml:3: not valid YAML"),
        ("a.yaml", "name: a\nname: b\n", "a.yaml:2: not valid YAML: the key 'name' stands here a second time"),
        ("a.yaml", "function: !!python/object/apply:os.system [ls]\n", "not valid YAML"),
        ("a.json", '{"name": "a",}', "a.json:1: not valid JSON"),
        ("a.json", '{"name": "a",\n "name": "b"}', "not valid JSON: the key 'name' stands in one object twice"),
        ("a.json", '{"name": "a", "examples": {"x": [NaN]}}', "not valid JSON: NaN is not JSON"),
        ("a.jsonl", '{"name": "a"}\n{"name": }\n', "a.jsonl:2: not valid JSON"),
        ("a.yaml", "", "a.yaml:1"),
        ("a.yaml", "tools: []\n", "a.yaml:1: there is no tool in this file"),
        ("a.jsonl", "\n", "a.jsonl:1: there is no tool in this file"),
        ("a.yaml", "tools: {name: a}\n", "a.yaml:1: tools: a list is expected"),
        ("a.yaml", "tools: []\nversion: 2\n", "a.yaml:2: unknown key 'version' beside 'tools'"),
        ("a.yaml", "- just text\n", "a.yaml:1: [0]: a mapping is expected"),
        ("a.yaml", "description: a tool without a function\n", "function: this key is missing"),
        ("a.yaml", "function: {description: nameless}\n", "function.name: this key is missing"),
        ("a.yaml", "function: {name: two words}\n", "function.name: text that matches"),
        ("a.yaml", f"function: {{name: {'x' * 65}}}\n", "function.name: text that matches"),
        ("a.yaml", "type: tool\nfunction: {name: a}\n", "type: 'function' is expected"),
        ("a.yaml", "function: {name: a, parameters: none}\n", "function.parameters: a mapping is expected"),
    ],
)
def test_files_that_are_no_tool_specs(tmp_path: Path, name: str, text: str, what: str):
    message = refusal(write(tmp_path, text, name))
    assert message.startswith(f"{tmp_path}/{name}:")
    assert what in message


def test_files_that_cannot_be_read(tmp_path: Path):
    write(tmp_path, CANCEL, "orders.yaml")
    assert 'there is no such file (did you mean "' in refusal(tmp_path / "order.yaml")
    assert "this is a folder" in refusal(tmp_path)
    (tmp_path / "b.yaml").write_bytes(b"name: \xff")
    assert "not UTF-8 text (byte 6)" in refusal(tmp_path / "b.yaml")


class TestSeveralFiles:
    def test_a_name_may_stand_once(self, tmp_path: Path):
        first, second = write(tmp_path, CANCEL, "a.yaml"), write(tmp_path, "\n\n" + CANCEL, "b.yaml")
        assert refusal(first, second) == f"{second}:3: the tool 'cancel_order' is also in {first}:1"

    def test_also_in_one_file(self, tmp_path: Path):
        path = write(tmp_path, "- {name: a}\n- {name: b}\n- {name: a}\n")
        assert refusal(path) == f"{path}:3: the tool 'a' is also in {path}:1"

    def test_links_are_looked_up_in_all_files(self, tmp_path: Path):
        orders = write(tmp_path, ORDERS, "orders.yaml")
        cancel = write(tmp_path, CANCEL + 'links: {order_id: "find_orders#/orders/*/order_id"}\n', "cancel.yaml")
        assert list(load_toolbox([cancel, orders])) == ["cancel_order", "find_orders"]
        cancel = write(tmp_path, CANCEL + 'links: {order_id: "find_orders#/orders/*/number"}\n', "cancel.yaml")
        for paths in ([cancel, orders], [orders, cancel]):
            message = refusal(*paths)
            assert message.startswith(f"{cancel}:1: links.order_id: the result of find_orders has no orders/*/number")
            assert 'did you mean "orders/*/order_id"?' in message

    def test_a_tool_may_link_to_itself(self, tmp_path: Path):
        path = write(tmp_path, ORDERS + "links: {customer: 'find_orders#/orders/*/id'}\n")
        assert "links.customer: the result of find_orders has no orders/*/id" in refusal(path)


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("phrases: {each: {status: ['{.}']}}", "status"),  # not a list
        ("phrases: {answer: ['There are {status#}.']}", "status"),  # has no length
        ("phrases: {vary: [lines/*/product]}", "lines/*/product"),  # calls cannot differ in it alone
    ],
)
def test_phrases_that_could_only_fail_later(tmp_path: Path, key: str, what: str):
    path = write(tmp_path, ORDERS + key + "\n")
    message = refusal(path)
    assert message.startswith(f"{path}:{ORDERS.count(chr(10)) + 1}: ")
    assert what in message
