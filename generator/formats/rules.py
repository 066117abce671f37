"""The rules of the DeepFabric data format, over raw records: one walk finds every place where a record breaks one.

A record is any JSON value. Nothing is assumed and nothing raises: what does not have the expected shape is reported by the rule
about that shape, and skipped by the rules about its content. To add a rule: its sentence in rules.yaml, and its check beside
those that look at the same part of a record.
"""

import json
import re
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec
import orjson

from generator.core.conversation import FileSequence, FillIn, Violation
from generator.core.offline_schemas import validator
from generator.core.yaml_values import own_data

# ------------------------------------------- phrases of messages, in which nothing of the data can control a terminal

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 200


def path(keys: Iterable[str | int]) -> str:
    """Return the JSON path of a value from its keys and indexes: `$.messages[2].tool_calls[0].id`."""
    written = "$"
    for key in keys:
        plain = isinstance(key, str) and _PLAIN_KEY.fullmatch(key)
        written += f".{key}" if plain else f"[{json.dumps(key)}]"
    return written


def kind(value: Any) -> str:
    """Return the type of a JSON value in words: `a list`, `null`."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    for types, word in ((str, "a string"), ((int, float), "a number"), (list, "a list"), (dict, "an object")):
        if isinstance(value, types):
            return word
    return type(value).__name__


def wrong(holder: dict[str, Any], key: str, expected: str) -> str:
    """Return why the value at `key` is not what is expected there (`a string`, `an object`, ...)."""
    if key not in holder:
        return "is missing"
    actual = kind(holder[key])
    return "is empty" if actual == expected else f"should be {expected}, not {actual}"


def quoted(text: str) -> str:
    """Return text from the data in quotation marks, cut when it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def one_line(message: str) -> str:
    """Return a message by others about the data on one line, cut when it is long."""
    line = message.partition("\n")[0][: _LONGEST + 1]
    line = "".join(letter if letter.isprintable() else " " for letter in line)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


# --------------------------------------------------- JSON Schemas, compiled: formats are asserted, nothing is fetched


class UnusableSchema(msgspec.Struct, frozen=True):
    """A schema that cannot be used, and why."""

    reason: str
    place: tuple[str | int, ...] = ()
    """Keys and indexes that lead to the fault in it."""


def compiled(schema: dict[str, Any]) -> jsonschema_rs.Validator | UnusableSchema:
    """Return the validator of a schema, or why it cannot be used."""
    try:
        return validator(schema)
    except jsonschema_rs.ValidationError as fault:
        return UnusableSchema(one_line(fault.message), tuple(fault.instance_path))
    except ValueError as fault:
        return UnusableSchema(one_line(str(fault)))


def accepts(schema: dict[str, Any] | None, value: Any) -> bool:
    """Whether a schema accepts a value; everything is accepted where there is none, or none that can be used."""
    check = None if schema is None else compiled(schema)
    return check is None or isinstance(check, UnusableSchema) or check.is_valid(value)


# ------------------------------------------------------------------------------------------------- rules and findings

Place = tuple[str | int, ...]
"""The keys and indexes that lead to a value of a record: `("messages", 2, "tool_calls", 0, "id")`."""


HUNDREDS: dict[str, dict[str, str]] = own_data(__file__)
"""The rules of the DeepFabric data format, by what they are about: code → the rule in one sentence."""
RULES = {code: statement for rules in HUNDREDS.values() for code, statement in rules.items()}
DOCUMENT_CODE = "DC101"
DOCUMENT_STATEMENT = (
    "Every file of a document, with its gap filled, stands word for word in the file that it is taken from."
)


class RuleFinding(msgspec.Struct, frozen=True):
    """One place where a record breaks a rule."""

    code: str
    place: Place
    message: str


RuleFindings = list[RuleFinding]


def add_finding(found: RuleFindings, code: str, place: Place, message: str) -> None:
    """Add a finding."""
    found.append(RuleFinding(code, place, message))


# -------------------------------------------------------------------------------------------------------------- DF1xx

ROLES = ("system", "user", "assistant", "tool")


def check_lists(findings: RuleFindings, record: Any) -> tuple[list[Any], list[Any] | None]:
    """Return the lists `messages` (empty when there is none) and `tools` (None when there is none)."""
    if not isinstance(record, dict):
        add_finding(findings, "DF101", (), f"a record should be an object, not {kind(record)}")
        return [], None
    messages, tools = record.get("messages"), record.get("tools")
    if not isinstance(messages, list) or not messages:
        add_finding(findings, "DF101", ("messages",), wrong(record, "messages", "a list"))
        messages = []
    if tools is not None and not isinstance(tools, list):
        add_finding(findings, "DF101", ("tools",), wrong(record, "tools", "a list"))
        tools = None
    return messages, tools


def check_role(findings: RuleFindings, at: Place, message: Any) -> str | None:
    """Return the role of a message if it is one of ROLES; None, with a finding added, if not."""
    if not isinstance(message, dict):
        add_finding(findings, "DF102", at, f"a message should be an object, not {kind(message)}")
        return None
    role = message.get("role")
    if isinstance(role, str) and role in ROLES:
        return role
    add_finding(findings, "DF102", (*at, "role"), f"should be one of {', '.join(ROLES)}, not {_value_in_words(role)}")
    return None


def check_message(findings: RuleFindings, at: Place, message: dict[str, Any], role: str | None) -> list[Any] | None:
    """Check what a message of that role may hold; return the entries of an assistant's `tool_calls`, if it has any."""
    content, calls = message.get("content"), message.get("tool_calls")
    if role == "assistant":
        if not isinstance(content, str) and (content is not None or calls is None):
            no_calls = "" if calls is not None else " (the message makes no calls)"
            add_finding(findings, "DF104", (*at, "content"), wrong(message, "content", "a string") + no_calls)
        if calls is not None and not (isinstance(calls, list) and calls):
            add_finding(findings, "DF107", (*at, "tool_calls"), wrong(message, "tool_calls", "a list"))
    else:
        if (role == "user" or role == "system") and not isinstance(content, str):
            add_finding(findings, "DF103", (*at, "content"), wrong(message, "content", "a string"))
        if calls is not None:
            add_finding(
                findings, "DF106", (*at, "tool_calls"), f"stands on a message whose role is {role or 'unknown'}"
            )
    if "name" in message:
        name = message["name"]
        if name is not None and not (isinstance(name, str) and name):
            add_finding(findings, "DF105", (*at, "name"), wrong(message, "name", "a string"))
    return calls if role == "assistant" and isinstance(calls, list) else None


def check_call(findings: RuleFindings, at: Place, call: Any) -> dict[str, Any] | None:
    """Check the form of an entry of `tool_calls`; return its `function`, if that is an object."""
    if not isinstance(call, dict):
        add_finding(findings, "DF108", at, f"a call should be an object, not {kind(call)}")
        return None
    if call.get("type") != "function":
        add_finding(findings, "DF109", (*at, "type"), f"should be 'function', not {_value_in_words(call.get('type'))}")
    function = call.get("function")
    if not isinstance(function, dict):
        add_finding(findings, "DF108", (*at, "function"), wrong(call, "function", "an object"))
        return None
    name = function.get("name")
    if not isinstance(name, str) or not name:
        add_finding(findings, "DF110", (*at, "function", "name"), wrong(function, "name", "a string"))
    return function


def _value_in_words(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else kind(value)


# -------------------------------------------------------------------------------------------------------------- DF6xx

_LARGEST_KEPT = 64 * 1024
"""Bytes of JSON: larger entries are compiled each time, so that the cache cannot grow without bound."""
_FIELDS = (("description", str, "a string"), ("parameters", dict, "an object"), ("strict", bool, "true or false"))


class DeclaredTool(msgspec.Struct, frozen=True):
    """An entry of `tools`, independent of its place."""

    name: str | None
    validator: jsonschema_rs.Validator | None
    """None when it declares no parameters, or broken ones."""
    has_bad_parameters: bool
    faults: tuple[RuleFinding, ...]
    """Their places are relative to the entry."""


def check_tools(findings: RuleFindings, entries: list[Any]) -> dict[str, DeclaredTool]:
    """Return the tools of a record by name; the first of a name counts."""
    tools: dict[str, DeclaredTool] = {}
    first_index: dict[str, int] = {}
    for index, entry in enumerate(entries):
        tool = _declared_tool(entry)
        if tool.faults:
            findings += [msgspec.structs.replace(fault, place=("tools", index, *fault.place)) for fault in tool.faults]
        if tool.name in tools:
            reason = f"{quoted(tool.name)} is the name of {path(('tools', first_index[tool.name]))} too"
            add_finding(findings, "DF602", ("tools", index, "function", "name"), reason)
        elif tool.name is not None:
            tools[tool.name], first_index[tool.name] = tool, index
    return tools


def _declared_tool(entry: Any) -> DeclaredTool:
    """Return the tool of an entry. Equal entries share one object, because all rows of a file offer the same few tools."""
    try:
        text = orjson.dumps(entry)
    except TypeError:  # numbers beyond 64 bits, broken text, deep nesting: rare, so not worth a cache
        return _checked_tool(entry)
    return _checked_tool_text(text) if len(text) <= _LARGEST_KEPT else _checked_tool(entry)


@lru_cache(maxsize=2048)
def _checked_tool_text(text: bytes) -> DeclaredTool:
    return _checked_tool(orjson.loads(text))


def _checked_tool(entry: Any) -> DeclaredTool:
    """Return a declared tool with a validator of its parameters, and with what is wrong with it."""
    faults: RuleFindings = []
    function = _check_shape(faults, entry)
    schema, name = function.get("parameters"), function.get("name")
    validator = compiled(schema) if isinstance(schema, dict) else None
    if isinstance(validator, UnusableSchema):
        add_finding(faults, "DF604", ("function", "parameters", *validator.place), validator.reason)
        validator = None
    return DeclaredTool(
        name=name if isinstance(name, str) and name else None,
        validator=validator,
        has_bad_parameters=validator is None and schema is not None,
        faults=tuple(faults),
    )


def called_tool(
    findings: RuleFindings, at: Place, function: dict[str, Any], tools: dict[str, DeclaredTool]
) -> DeclaredTool | None:
    """Return the tool that a call names, if it is declared."""
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return None
    tool = tools.get(name)
    if tool is None:
        add_finding(findings, "DF603", (*at, "function", "name"), f"{quoted(name)} is not a declared tool")
    return tool


def _check_shape(findings: RuleFindings, entry: Any) -> dict[str, Any]:
    """Return the `function` of an entry; empty if it is no object."""
    if not isinstance(entry, dict):
        add_finding(findings, "DF601", (), f"a tool should be an object, not {kind(entry)}")
        return {}
    if entry.get("type") != "function":
        add_finding(findings, "DF601", ("type",), "is not 'function'" if "type" in entry else "is missing")
    function = entry.get("function")
    if not isinstance(function, dict):
        add_finding(findings, "DF601", ("function",), wrong(entry, "function", "an object"))
        return {}
    name = function.get("name")
    if not isinstance(name, str) or not name:
        add_finding(findings, "DF601", ("function", "name"), wrong(function, "name", "a string"))
    for key, types, expected in _FIELDS:
        value = function.get(key)
        if value is not None and not isinstance(value, types):
            add_finding(findings, "DF601", ("function", key), wrong(function, key, expected))
    return function


# -------------------------------------------------------------------------------------------------------------- DF2xx


def check_arguments(findings: RuleFindings, at: Place, function: dict[str, Any], tool: DeclaredTool | None) -> None:
    """Check the arguments of a call; `tool` is the one that it names, if it is declared."""
    arguments = function.get("arguments")
    if not isinstance(arguments, dict):
        add_finding(findings, "DF201", (*at, "function", "arguments"), wrong(function, "arguments", "an object"))
    elif tool is None or tool.has_bad_parameters:
        pass
    elif tool.validator is None:
        if arguments:
            add_finding(
                findings, "DF202", (*at, "function", "arguments"), f"{quoted(str(tool.name))} declares no parameters"
            )
    else:
        try:
            if not tool.validator.is_valid(arguments):
                for error in tool.validator.iter_errors(arguments):
                    place = (*at, "function", "arguments", *error.instance_path)
                    add_finding(findings, "DF202", place, one_line(error.message))
        except ValueError as fault:  # text or nesting that the validator cannot process
            add_finding(findings, "DF202", (*at, "function", "arguments"), f"cannot be checked: {one_line(str(fault))}")


# -------------------------------------------------------------------------------------------------------------- DF3xx


def check_id(findings: RuleFindings, at: Place, call: dict[str, Any], first_calls: dict[str, Place]) -> str | None:
    """Return the id of a call if it is a string, and add it to `first_calls` (id → place of the call that has it first)."""
    call_id = call.get("id")
    if not isinstance(call_id, str):
        add_finding(findings, "DF301", (*at, "id"), wrong(call, "id", "a string"))
        return None
    if not (len(call_id) == 9 and call_id.isascii() and call_id.isalnum()):
        add_finding(findings, "DF301", (*at, "id"), f"{quoted(call_id)} is not nine letters or digits")
    if first_calls.setdefault(call_id, at) is not at:
        add_finding(findings, "DF302", (*at, "id"), f"{quoted(call_id)} is the id of {path(first_calls[call_id])} too")
    return call_id


# -------------------------------------------------------------------------------------------------------------- DF4xx


class MessageCalls(msgspec.Struct):
    """The calls of one assistant message that have an id."""

    names: dict[str, Any] = {}
    """Id → name of the called tool; where two calls have one id, of the first."""
    waiting: dict[str, list[Place]] = {}
    """Id → the calls with this id that have no answer yet."""

    def add(self, call_id: str, at: Place, name: Any) -> None:
        """Add a call."""
        self.names.setdefault(call_id, name)
        self.waiting.setdefault(call_id, []).append(at)


def check_answer(
    findings: RuleFindings, at: Place, message: dict[str, Any], step: MessageCalls, first_calls: dict[str, Place]
) -> None:
    """Check a tool message against the calls of the step that it answers; `first_calls` has every call before it (id → its place)."""
    if not isinstance(message.get("content"), str):
        add_finding(findings, "DF403", (*at, "content"), wrong(message, "content", "a string"))
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        add_finding(findings, "DF401", (*at, "tool_call_id"), wrong(message, "tool_call_id", "a string"))
    elif call_id not in step.names:
        add_finding(findings, "DF401", (*at, "tool_call_id"), _unlinked(call_id, first_calls.get(call_id)))
    else:
        waiting = step.waiting.pop(call_id, None)
        if waiting is None:
            add_finding(
                findings, "DF402", (*at, "tool_call_id"), f"the call {quoted(call_id)} has been answered already"
            )
        elif len(waiting) > 1:
            step.waiting[call_id] = waiting[1:]
        name, called = message.get("name"), step.names[call_id]
        if name != called and all(isinstance(text, str) and text for text in (name, called)):
            add_finding(
                findings, "DF404", (*at, "name"), f"{quoted(str(name))} is not the called tool {quoted(called)}"
            )


def check_answered(findings: RuleFindings, step: MessageCalls, *, ends: bool) -> None:
    """Check a step at whose end the next turn begins, or the record ends."""
    for call_id, places in step.waiting.items():
        for place in places:
            call = f"the call {quoted(call_id)}"
            last = f"the record ends with {call} (validate --unrolled allows that)"
            add_finding(findings, "DF402", place, last if ends else f"{call} is not answered before the next turn")


def _unlinked(call_id: str, earlier_call: Place | None) -> str:
    """Return why a result answers no call that is open: `other` is the call of an earlier turn that has the id."""
    if earlier_call is None:
        return f"no call before it has the id {quoted(call_id)}"
    return f"{quoted(call_id)} is the id of {path(earlier_call)}, which is not in the turn just before"


# -------------------------------------------------------------------------------------------------------------- DF5xx


def check_order(findings: RuleFindings, messages: list[Any], roles: list[str | None]) -> None:
    """Check the order of a record's messages; a role is None where a message has no known role."""
    previous_role: str | None = "nobody"
    for index, role in enumerate(roles):
        if role == "tool":
            if (
                previous_role == "user"
                or previous_role == "system"
                or (previous_role == "assistant" and messages[index - 1].get("tool_calls") is None)
            ):
                last = (
                    "an assistant message without calls"
                    if previous_role == "assistant"
                    else f"a {previous_role} message"
                )
                add_finding(findings, "DF503", ("messages", index), f"stands after {last}")
        elif role == "system":
            if index:
                add_finding(findings, "DF501", ("messages", index), "a system message stands only at the beginning")
        elif role == previous_role and role is not None:
            add_finding(findings, "DF504", ("messages", index), f"a second {role} message in a row")
        elif role == "user" and previous_role == "tool":
            add_finding(findings, "DF505", ("messages", index), "the assistant has not spoken since the tool's answer")
        previous_role = role
    _check_first_and_last(findings, roles)


def _check_first_and_last(findings: RuleFindings, roles: list[str | None]) -> None:
    """Check that a record begins with system messages and the user's, and ends with the assistant's."""
    first_index = 0
    while first_index < len(roles) and roles[first_index] == "system":
        first_index += 1
    if first_index < len(roles) and roles[first_index] not in (None, "user"):
        message = f"the first message after the system's should be the user's, not the {roles[first_index]}'s"
        add_finding(findings, "DF502", ("messages", first_index), message)
    if roles and roles[-1] not in (None, "assistant"):
        message = f"the last message should be the assistant's, not the {roles[-1]}'s"
        add_finding(findings, "DF506", ("messages", len(roles) - 1), message)


# --------------------------------------------------------------------------------------------- the walk over a record

_NO_CALLS = MessageCalls()


def examine(record: Any) -> list[RuleFinding]:
    """Return all findings in a record, in the order of codes; none for a right one."""
    findings: RuleFindings = []
    messages, entries = check_lists(findings, record)
    tools = None if entries is None else check_tools(findings, entries)
    roles: list[str | None] = []
    first_calls: dict[str, Place] = {}  # id → the first call with it
    step = _NO_CALLS
    for index, message in enumerate(messages):
        at = ("messages", index)
        role = check_role(findings, at, message)
        roles.append(role)
        calls = check_message(findings, at, message, role) if isinstance(message, dict) else None
        if role == "tool":
            check_answer(findings, at, message, step, first_calls)
        elif role == "assistant" or role == "user":
            if step.waiting:
                check_answered(findings, step, ends=False)
            step = _check_calls(findings, index, calls, tools, first_calls) if calls else _NO_CALLS
    check_answered(findings, step, ends=roles[-1:] == ["assistant"])
    check_order(findings, messages, roles)
    if findings:
        findings.sort(key=lambda finding: finding.code)
    return findings


def check_record(record: Any, waived: Container[str] = ()) -> list[Violation]:
    """Return the findings as violations, which people read, without those of waived rules."""
    return [
        Violation(finding.code, path(finding.place), finding.message)
        for finding in examine(record)
        if finding.code not in waived
    ]


def _check_calls(
    findings: RuleFindings,
    message: int,
    calls: list[Any],
    tools: dict[str, DeclaredTool] | None,
    first_calls: dict[str, Place],
) -> MessageCalls:
    """Check the calls of one assistant message; return what its results must answer."""
    step = MessageCalls()
    for index, call in enumerate(calls):
        place = ("messages", message, "tool_calls", index)
        function = check_call(findings, place, call)
        call_id = check_id(findings, place, call, first_calls) if isinstance(call, dict) else None
        if call_id is not None:
            step.add(call_id, place, None if function is None else function.get("name"))
        if function is not None:
            tool = None if tools is None else called_tool(findings, place, function, tools)
            check_arguments(findings, place, function, tool)
    return step


# --------------------------------------------------------- documents, compared with the files that they are made from


def check_document(document: FileSequence, sources: Iterable[str]) -> list[Violation]:
    """Return violations for files of a document that stand in none of the sources (texts of files), and for empty gaps."""
    texts = tuple(sources)
    violations = []
    for i, file in enumerate(document.files):
        text_of_file = file if isinstance(file, str) else f"{file.prefix}{file.middle or ''}{file.suffix}"
        if isinstance(file, FillIn) and not (file.middle or "").strip():
            violations.append(Violation(DOCUMENT_CODE, f"$.files[{i}]", "nothing belongs into the gap"))
        elif not any(text_of_file in text for text in texts):
            violations.append(
                Violation(DOCUMENT_CODE, f"$.files[{i}]", "stands in none of the files that the recipe names")
            )
    return violations
