"""Arguments that nobody says: the system message states them, or an earlier request that all later calls go by."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from changed_rows import Proven, other_value, replace, with_claim, with_message, with_value
from workbench import OF_FILES, recipe, rows

from generator.core.conversation import SystemMessage, UserMessage
from generator.run.row import prepare

SERVICE = """
tools:
  - type: function
    function:
      name: list_request_types
      description: List the kinds of requests that a service desk takes.
      parameters:
        type: object
        properties:
          tenant: {type: string, pattern: "^T-[0-9]{4}$", description: Customer account}
          service_desk_id: {type: string, pattern: "^SD-[0-9]{3}$", description: Service desk}
          query: {type: string, examples: [laptop, access, printer, phone, software], description: Words to look for}
        required: [tenant, service_desk_id, query]
        additionalProperties: false
    returns:
      type: object
      properties:
        types:
          type: array
          minItems: 2
          maxItems: 4
          items:
            type: object
            properties:
              request_type_id: {type: string, pattern: "^RT-[0-9]{3}$"}
              name: {type: string, examples: [Laptop order, Software access, Printer trouble, Password reset, New phone, Desk move]}
              days: {type: integer, minimum: 1, maximum: 20}
            required: [request_type_id, name, days]
      required: [types]
    say: {tenant: never}
    context: {service_desk_id: same}
    phrases:
      request: ["list the request types of service desk {service_desk_id} for {query:quoted}", "list the request types for {query:quoted}"]
      question: ["which request types are there for {query:quoted}"]
      want: ["the request types for {query:quoted}"]
      slots:
        service_desk_id: ["at service desk {service_desk_id}"]
        query: ["for {query:quoted}"]
      vary: [query]
      pick: {types: [{say: the fastest one, by: min days}, {say: the first one, by: first}]}
      answer: ["I found {types}.", "The types are {types}."]
      each: {types: ["{name:quoted}"]}
  - type: function
    function:
      name: create_request
      description: Open a request at a service desk.
      parameters:
        type: object
        properties:
          tenant: {type: string, pattern: "^T-[0-9]{4}$", description: Customer account}
          service_desk_id: {type: string, pattern: "^SD-[0-9]{3}$", description: Service desk}
          request_type_id: {type: string, pattern: "^RT-[0-9]{3}$", description: Kind of request}
          summary: {type: string, examples: [The screen stays black, I need a second monitor, Keys are stuck, Slow start], description: One line}
        required: [tenant, service_desk_id, request_type_id, summary]
        additionalProperties: false
    returns: {type: object, properties: {request_id: {type: string, pattern: "^REQ-[0-9]{5}$"}, summary: {type: string}}, required: [request_id, summary]}
    links: {request_type_id: "list_request_types#/types/*/request_type_id"}
    say: {tenant: never}
    context: {service_desk_id: same}
    phrases:
      request: ["open a request with the summary {summary:quoted}", "open a request of type {request_type_id} with the summary {summary:quoted}"]
      follow_up: ["open a request of type {request_type_id} with the summary {summary:quoted}"]
      slots:
        service_desk_id: ["at service desk {service_desk_id}"]
        request_type_id: ["of type {request_type_id}"]
        summary: ["with the summary {summary:quoted}"]
      answer: ["Your request {request_id} is open.", "I've opened {request_id}."]
  - type: function
    function:
      name: count_open_requests
      description: Count the open requests of a service desk.
      parameters:
        type: object
        properties:
          tenant: {type: string, pattern: "^T-[0-9]{4}$", description: Customer account}
          service_desk_id: {type: string, pattern: "^SD-[0-9]{3}$", description: Service desk}
          month: {type: string, enum: [January, February, March, April, May, June, July], description: Month in which they were opened}
        required: [tenant, service_desk_id, month]
        additionalProperties: false
    returns: {type: object, properties: {open: {type: integer, minimum: 0, maximum: 40}}, required: [open]}
    say: {tenant: never}
    context: {service_desk_id: same}
    phrases:
      request: ["count the new requests", "count the requests from {month}", "count the requests of service desk {service_desk_id} from {month}"]
      question: ["how many requests from {month} are open"]
      again: ["from {month}"]
      vary: [month]
      slots: {month: ["from {month}"], service_desk_id: ["at service desk {service_desk_id}"]}
      answer: ["From {args.month}, {open} requests are open.", "{open} requests from {args.month} are open."]
"""
SCENARIOS = (
    "single",
    "sequential",
    "parallel",
    "parallel_multiple",
    "withheld_tool",
)


@cache
def made() -> tuple[Proven, ...]:
    path = Path(mkdtemp()) / "service.yaml"
    path.write_text(SERVICE)
    found = []
    for scenario in [name for name in SCENARIOS if name not in OF_FILES]:
        shop = prepare(recipe([path], scenario, calls=(2, 2)))
        found += [Proven(one.row.conversation, one.row.proof, scenario, shop.toolbox) for one in rows(shop, 4)]
    return tuple(found)


def carried() -> Iterator[tuple[Proven, int]]:
    """The rows in which an argument is not said again, with the place of the claim."""
    for row in made():
        for place, claim in enumerate(row.proof.arguments):
            if claim.source == "context" and isinstance(row.talk.messages[claim.message], UserMessage):
                yield row, place


def test_what_people_never_say_stands_in_the_system_message():
    for row in made():
        assert row.codes() == set()
        stated = {claim.call_id: claim for claim in row.claims("context") if claim.pointer == "/tenant"}
        assert stated.keys() == row.calls.keys()
        for claim in stated.values():
            message = row.talk.messages[claim.message]
            assert isinstance(message, SystemMessage)
            assert message.content[claim.start : claim.end] == row.value(claim)
        tenants = {row.value(claim) for claim in stated.values()}
        assert len(tenants) <= 1
        assert not any(tenant in row.talk.messages[at].content for tenant in tenants for at in row.at(UserMessage))


def test_what_holds_for_all_calls_is_not_said_again():
    seen = set()
    for row, place in carried():
        claim = row.proof.arguments[place]
        assert claim.pointer == "/service_desk_id"
        assert claim.message <= row.asked_at[claim.call_id]
        later = range(claim.message + 1, row.asked_at[claim.call_id] + 1)
        assert not any(row.value(claim) in row.talk.messages[at].content for at in later if at in row.at(UserMessage))
        seen.add(row.scenario)
    assert seen >= {"sequential"}


def test_what_is_planted_in_such_claims_is_refused():
    for row, place in carried():
        claim = row.proof.arguments[place]
        other = other_value(row.value(claim))
        planted = {
            "another value": with_value(row, claim.call_id, claim.pointer, other),
            "a place to the right": with_claim(row, claim, replace(claim, start=claim.start + 1, end=claim.end + 1)),
            "no place": with_claim(row, claim, replace(claim, start=None, end=None)),
            "the system message": with_claim(row, claim, replace(claim, message=0)),
            "no claim": with_claim(row, claim),
            **{source: with_claim(row, claim, replace(claim, source=source)) for source in ("default", "result")},
        }
        if claim.message < row.asked_at[claim.call_id]:
            planted["said in this request"] = with_claim(row, claim, replace(claim, source="user"))
            planted["said again"] = said_again(row, place)
        free = {name: replace(spec, context={}) for name, spec in row.toolbox.items()}
        assert {what for what, changed in planted.items() if not changed.codes()} == set()
        assert "PF116" in row._replace(toolbox=free).codes()


def said_again(row: Proven, place: int) -> Proven:
    """The same row with a request that says once more what holds already."""
    claim = row.proof.arguments[place]
    at, value = row.asked_at[claim.call_id], row.value(claim)
    text = row.talk.messages[at].content
    more = f"{text} It's at service desk {value}."
    start = len(more) - 1 - len(value)
    told = replace(claim, source="user", message=at, start=start, end=start + len(value))
    return with_claim(with_message(row, at, content=more), claim, told)


def test_another_value_that_was_said_since_is_not_passed_over():
    """Where the user has changed the service desk in between, an older request says nothing any more."""
    refused = 0
    for row, place in carried():
        claim = row.proof.arguments[place]
        others = [
            c
            for c in row.claims("user")
            if c.pointer == claim.pointer and c.call_id != claim.call_id and c.message == claim.message
        ]
        for other in others[:1]:  # the request with another value: neither it nor what goes by it can stand
            changed = with_value(row, other.call_id, other.pointer, other_value(row.value(other)))
            assert changed.codes() & {"PF116", "PF102"}
            refused += 1
    assert refused


PAGES = """
tools:
  - type: function
    function:
      name: list_requests
      description: List requests.
      parameters: {type: object, properties: {status: {type: string, enum: [open, closed]}}, required: [status], additionalProperties: false}
    returns:
      type: object
      properties: {titles: {type: array, minItems: 2, items: {type: string, examples: [Lost badge, New laptop]}}, next: {type: string, pattern: "^c[0-9a-f]{9}$"}}
      required: [titles, next]
  - type: function
    function:
      name: list_more_requests
      description: List the next page of requests.
      parameters: {type: object, properties: {cursor: {type: string}}, required: [cursor], additionalProperties: false}
    returns: {type: object, properties: {titles: {type: array, items: {type: string, examples: [Slow network, Printer jam]}}}, required: [titles]}
    links: {cursor: list_requests#/next}
    examples: {cursor: [c012345678, cba9876543]}
    say: {cursor: never}
"""


def test_what_people_never_say_comes_from_a_result_where_one_holds_it(tmp_path):
    (tmp_path / "pages.yaml").write_text(PAGES)
    taken = 0
    for scenario in ("single", "sequential"):
        for one in rows(prepare(recipe([tmp_path / "pages.yaml"], scenario, calls=(2, 2))), 6):
            claims = [claim for claim in one.row.proof.arguments if claim.pointer == "/cursor"]
            assert {claim.source for claim in claims} <= {"result"}
            taken += len(claims)
    assert taken > 5
