"""A second opinion: `jsonschema`, another implementation of JSON Schema, on arguments that `jsonschema-rs` checked.

It is slow, so a run asks it about a few rows only.
"""

from decimal import Decimal
from functools import lru_cache
from typing import Any

import orjson

from generator.core.conversation import AssistantMessage, Conversation, Violation, failed_messages
from generator.core.offline_schemas import reference_validator
from generator.formats.rules import UnusableSchema, compiled, path

CODE = "RX101"
STATEMENT = "`jsonschema` and `jsonschema-rs` agree that the arguments of a call are valid (asked for one row in 500)."


def cross_check(conversation: Conversation) -> list[Violation]:
    """Return violations for calls whose arguments are not valid for both, except for calls refused because of their arguments."""
    schemas = {tool.name: tool.parameters for tool in conversation.tools}
    refused = failed_messages(conversation)
    violations = []
    for index, message in enumerate(conversation.messages):
        for number, call in enumerate(
            message.tool_calls if isinstance(message, AssistantMessage) and index not in refused else ()
        ):
            schema = schemas.get(call.name)
            if schema is None:
                continue
            opinions = {
                "jsonschema-rs": _fault_by_jsonschema_rs(schema, call.arguments),
                "jsonschema": _fault_by_jsonschema(schema, call.arguments),
            }
            faults = [f"{name} says: {fault}" for name, fault in opinions.items() if fault]
            if faults:
                keys = ("messages", index, "tool_calls", number, "function", "arguments")
                violations.append(Violation(CODE, path(keys), "; ".join(faults)))
    return violations


def _fault_by_jsonschema_rs(schema: dict[str, Any], arguments: dict[str, Any]) -> str:
    """Return what is wrong with the arguments in the words of `jsonschema-rs`; an empty text if nothing is."""
    validator = compiled(schema)
    if isinstance(validator, UnusableSchema):
        return validator.reason
    try:
        return "" if validator.is_valid(arguments) else "not valid"
    except ValueError as fault:
        return str(fault)


def _fault_by_jsonschema(schema: dict[str, Any], arguments: dict[str, Any]) -> str:
    """Return what is wrong with the arguments in the words of `jsonschema`; an empty text if nothing is."""
    errors = _validator(orjson.dumps(schema)).iter_errors(arguments)
    error = next((error for error in errors if not _is_false_alarm_about_multiple(error)), None)
    return "" if error is None else f"{error.json_path}: {error.message}"


def _is_false_alarm_about_multiple(error: Any) -> bool:
    """Whether the error is a false alarm about a multiple: `jsonschema` divides in floating point, where 0.07 is no multiple of 0.01."""
    if error.validator != "multipleOf":
        return False
    return Decimal(repr(error.instance)) % Decimal(repr(error.validator_value)) == 0


@lru_cache(maxsize=512)
def _validator(schema: bytes) -> Any:
    return reference_validator(orjson.loads(schema))
