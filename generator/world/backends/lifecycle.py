"""The lifecycle of one call: read and validate arguments, call the handler, accept or refuse its result.

The error texts are those of "Runtime (Tool Execution)" in the data model's document.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from generator.core.conversation import Tool
from generator.core.errors import SpecError
from generator.core.offline_schemas import validator
from generator.core.profiles import CHARACTER, ERROR, arguments_excess, check_result
from generator.world.backends.process import CallAnswer, EndedError, LateError, Limits, ModuleProcess
from generator.world.backends.states import CALL, Life, Loaded, Reached, State, check_report, load_functions

_PLAIN: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
_LIMITS = {
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "number": {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
}
_LIMITS["integer"] = _LIMITS["number"]


class InvalidParametersError(Exception):
    """Arguments that do not fit; the message says where and why."""


Check = Callable[[dict[str, Any]], dict[str, Any]]
"""From arguments to those that the handler gets, with defaults filled in."""


def parameter_model(tool: Tool) -> type[BaseModel]:
    """Return the model of a tool's arguments; what it cannot express (`$ref`, `not`, …) allows any value."""
    name = re.sub(r"[^A-Za-z0-9]", "", tool.name.title().replace("_", ""))
    return _object_model(tool.parameters or {}, f"{name}Params")


def compile_check(tool: Tool) -> Check:
    """Return a function that validates arguments with the tool's model, then with its whole schema.

    Raises (the function): InvalidParametersError.
    """
    model = parameter_model(tool)
    whole_schema = validator(tool.parameters) if tool.parameters else None

    def check(arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            model.model_validate(arguments)
        except ValidationError as faults:
            raise InvalidParametersError(_fault_text(faults, arguments)) from None
        for fault in whole_schema.iter_errors(arguments) if whole_schema is not None else ():
            path = ".".join(str(step) for step in fault.instance_path)
            raise InvalidParametersError(f"{path}: {fault.message}" if path else fault.message)
        return with_defaults(tool.parameters or {}, arguments)

    return check


def with_defaults(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the defaults that the schema declares for those that are missing."""
    properties = schema.get("properties")
    completed = dict(arguments)
    for name, part in properties.items() if isinstance(properties, dict) else ():
        if isinstance(part, dict) and "default" in part and name not in completed:
            completed[name] = part["default"]
    return completed


def _fault_text(faults: ValidationError, arguments: dict[str, Any]) -> str:
    """Return the first fault as text; pydantic's names of union members are left out of its path."""
    fault = faults.errors(include_url=False)[0]
    path, value = [], arguments
    for step in fault["loc"]:
        if isinstance(value, dict) and (step in value or fault["type"] == "missing"):
            value = value.get(str(step), {})
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            continue
        path.append(str(step))
    return f"{'.'.join(path)}: {fault['msg']}" if path else str(fault["msg"])


def _object_model(schema: dict[str, Any], name: str) -> type[BaseModel]:
    """Return a pydantic model that takes the objects of a schema; its fields are p0, p1, … with the properties' names as aliases."""
    properties = schema.get("properties")
    required = schema.get("required")
    fields: dict[str, Any] = {}
    for index, (key, part) in enumerate(properties.items() if isinstance(properties, dict) else ()):
        default = ... if isinstance(required, list) and key in required else None
        fields[f"p{index}"] = (_type_of(part, f"{name}_{index}"), Field(default, alias=key))
    for key in required if isinstance(required, list) else ():
        if key not in (properties or {}):
            fields[f"p{len(fields)}"] = (Any, Field(..., alias=key))
    extra: Literal["allow", "forbid"] = "forbid" if schema.get("additionalProperties") is False else "allow"
    model: type[BaseModel] = create_model(name, __config__=ConfigDict(extra=extra, strict=True), **fields)
    return model


def _type_of(schema: Any, name: str) -> Any:
    """Return the Python type of a schema's values, for a pydantic model: `{"type": "string"}` → `str`; `name` is for models within."""
    if not isinstance(schema, dict):
        return Any
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    if values:
        plain = all(isinstance(value, str | int | bool | None) for value in values)
        return Literal[tuple(values)] if plain else Any
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and schema[word]:
            return _union_of([_type_of(part, f"{name}_{index}") for index, part in enumerate(schema[word])])
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return _union_of([_annotated_type(str(word), schema, name) for word in kinds])


def _union_of(types: list[Any]) -> Any:
    """Return the union of types."""
    if any(kind is Any for kind in types):
        return Any
    return reduce(or_, [type(None) if kind is None else kind for kind in types])


def _annotated_type(kind: str, schema: dict[str, Any], name: str) -> Any:
    """Return the Python type for a JSON type with the schema's limits: `{"type": "integer", "minimum": 1}` → `Annotated[int, Field(ge=1)]`."""
    if kind == "object":
        return _object_model(schema, name)
    if kind == "array":
        python_type: Any = GenericAlias(list, (_type_of(schema.get("items", True), f"{name}_items"),))
    elif kind in _PLAIN:
        python_type = _PLAIN[kind]
    else:
        return Any
    words = _LIMITS.get(kind, {})
    limits = {ours: schema[theirs] for theirs, ours in words.items() if isinstance(schema.get(theirs), int | float)}
    return Annotated[python_type, Field(**limits)] if limits else python_type


TIMED_OUT = f"{ERROR}Tool execution timed out"
ENDED = f"{ERROR}Tool process ended"
NOT_TEXT = f"{ERROR}Tool must return string"


_LONGEST_ERROR = 900
"""Bytes of an error; the rest is left out."""


class Handlers:
    """A module with `TOOLS`, or else with functions, loaded and ready for calls.

    `plain`: results must be plain text, too, as the profile `character` asks for.

    Raises:
        SpecError: when the module cannot be imported or its load state is FAILED_VALIDATION.
    """

    def __init__(self, module: str, limits: Limits | None = None, *, plain: bool = False) -> None:
        self.process = ModuleProcess(module, limits or Limits())
        self._sizes = msgspec.structs.replace(CHARACTER, plain_results=plain)
        report = self.process.load()
        if report.has_tools or report.handler:
            self.loaded: Loaded = check_report(module, report)
        else:
            self._sizes = msgspec.structs.replace(self._sizes, result_characters=None, result_bytes=None)
            self.loaded = load_functions(module, self.process.functions())
        if self.loaded.state is State.FAILED_VALIDATION:
            self.process.stop()
            lines = [f"{module}: {self.loaded.state.value}: {fault}" for fault in self.loaded.faults]
            raise SpecError("\n".join(lines))
        self._checks = {tool.name: compile_check(tool) for tool in self.loaded.tools}
        self._begun: tuple[int, date] = (0, date.min)
        self._done: list[tuple[str, dict[str, Any]]] = []
        self._is_open = False

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that the module offers."""
        return self.loaded.tools

    def open(self, seed: int, today: date) -> None:
        """Begin a conversation: the handler's state is new."""
        self.close()
        self._begun, self._done = (seed, today), []

    def close(self) -> None:
        """End the conversation."""
        self._is_open = False
        self.process.close()

    def stop(self) -> None:
        """End the child process."""
        self._is_open = False
        self.process.stop()

    def call(self, name: str, arguments: str | dict[str, Any]) -> str:
        """Return the text that a model is told of a call with an object, or its JSON text as providers send it: the result, or `Error: …`."""
        return self.live(name, arguments)[0]

    def live(self, name: str, arguments: str | dict[str, Any]) -> tuple[str, tuple[Reached, ...]]:
        """Return the text of a call, and the states that it went through until the model is told."""
        life = Life(CALL)
        life.go("tool chosen", name)
        shown = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        life.go("arguments read", shown)
        try:
            ready = self._validated(name, arguments)
            life.go("validation passed", json.dumps(ready, ensure_ascii=False))
            content = self._run(name, ready)
            life.go("success", content)
        except _FailedError as failed:
            content = f"{ERROR}{failed}"
            if any(check_result(content, CHARACTER)):  # it says again what was wrong with long arguments
                content = content.encode("utf-8", "replace")[:_LONGEST_ERROR].decode("utf-8", "ignore") + "…"
            life.go(failed.event, content)
        life.go("result returned" if life.state is State.TOOL_COMPLETED else "error returned", content)
        return content, tuple(life.reached)

    def _validated(self, name: str, arguments: Any) -> dict[str, Any]:
        """Return the arguments that the handler gets."""
        if name not in self._checks:
            raise _FailedError("validation failed", f"Unknown tool: {name}")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError) as fault:
                raise _FailedError("JSON invalid", f"Invalid JSON arguments - {fault}") from None
        if not isinstance(arguments, dict):
            raise _FailedError("validation failed", "Invalid parameters - Input should be an object")
        for excess in arguments_excess(arguments, self._sizes):
            raise _FailedError("validation failed", f"Invalid parameters - {excess.message}")
        try:
            return self._checks[name](arguments)
        except InvalidParametersError as fault:
            raise _FailedError("validation failed", f"Invalid parameters - {fault}") from None

    def _run(self, name: str, arguments: dict[str, Any]) -> str:
        """Call the handler; if its process ended, repeat the calls that succeeded in a new one."""
        try:
            self._resume()
            answer = self.process.call(name, arguments)
        except LateError:
            self._is_open = False
            raise _FailedError("timeout", TIMED_OUT.removeprefix(ERROR)) from None
        except EndedError as ended:
            self._is_open = False
            raise _FailedError("execution error", f"{ENDED.removeprefix(ERROR)} ({ended})") from None
        self._done.append((name, arguments))
        return self._content(answer)

    def _resume(self) -> None:
        """Open the module's process and replay the calls made so far, if it is not open."""
        if self._is_open:
            return
        self.process.open(*self._begun)
        self._is_open = True
        for name, arguments in self._done:
            self.process.call(name, arguments)

    def _content(self, answer: CallAnswer) -> str:
        """Return the text of a result; raises _FailedError where the handler raised or its result is not a text within the limits."""
        result = answer.result
        if answer.raised is not None:
            fault = answer.raised.removeprefix(ERROR)
        elif answer.length is not None:
            most = self.process.limits.longest
            fault = f"Tool result is too long ({answer.length:,} characters; {most:,} are the most)"
        elif result is None or any("\ud800" <= letter <= "\udfff" for letter in result):
            fault = NOT_TEXT.removeprefix(ERROR)
        elif result.startswith(ERROR):
            fault = result.removeprefix(ERROR)
        else:
            fault = self._excess(result)
        if fault or result is None:
            raise _FailedError("execution error", fault)
        return result

    def _excess(self, result: str) -> str:
        """Return what is wrong with the text of a result; empty when nothing is."""
        for excess in check_result(result, self._sizes):
            what = "must return plain text" if excess.error == "TypeError" else "result is too long"
            return f"Tool {what} ({excess.message})"
        return ""


class _FailedError(Exception):
    """A call that failed; the message goes to the model behind `Error: `."""

    def __init__(self, event: str, message: str) -> None:
        super().__init__(message)
        self.event = event
