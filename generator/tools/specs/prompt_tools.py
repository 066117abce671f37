"""A portable JSON prompt as a tool, and a tool as such a prompt."""

import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from generator.core.documents import Document, parse_json
from generator.core.errors import OutputError
from generator.core.exact_json import same
from generator.core.portable import ExpectedOutput, PortablePrompt, Variable, check_prompt, parse_prompt, rewritten
from generator.core.toolbox import ToolOrigin, ToolSpec
from generator.tools.specs.models import FoundTool

KIND = "portable"


def tool_of_prompt(prompt: PortablePrompt, document: Document, stem: str) -> FoundTool:
    """Return the tool that a prompt is: variables are its parameters, `expected_output` is its result.

    Variables without a default are required, as far as the text holds them.
    """
    about = prompt.metadata
    name = re.sub(r"[^a-z0-9]+", "_", (about.prompt_name or stem).lower()).strip("_") or "prompt"
    required = [variable.name for variable in about.variables if variable.default is None]
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {variable.name: _variable_schema(variable) for variable in about.variables},
    }
    if required:
        parameters["required"] = required
    parameters["additionalProperties"] = False
    title = about.prompt_name or ""
    return FoundTool(
        name=name,
        where=document.where(("model_prompt",)),
        origin=ToolOrigin(kind=KIND, title=title, prompt=document.text, name=title if title != name else ""),
        domain=stem,
        description="\n\n".join(part for part in (about.description, about.usage_notes) if part) or None,
        parameters=parameters,
        returns=_result_schema(about.expected_output) if about.expected_output else None,
    )


def _variable_schema(variable: Variable) -> dict[str, Any]:
    """Return the schema of the argument that a variable of a prompt is."""
    values = {"type": "string"} | ({"enum": variable.allowed_values} if variable.allowed_values else {})
    schema: dict[str, Any] = (
        {"type": "array", "items": values, "uniqueItems": True} if variable.type == "multi-select" else values
    )
    if variable.description:
        schema = {**schema, "description": variable.description}
    return schema if variable.default is None else {**schema, "default": variable.default}


def _result_schema(output: ExpectedOutput) -> dict[str, Any]:
    """Return the schema of the text that a prompt expects as its output."""
    if output.allowed_values:
        return {"type": "string", "enum": output.allowed_values}
    words = [word for word in (output.language, output.format, output.type) if word]
    return {"type": "string", "description": " ".join(dict.fromkeys(words))}


def prompt_file(spec: ToolSpec, path: str) -> str:
    """Return the file of the prompt that a tool is.

    A tool that was read from such a file leads back to it, byte for byte but for what was changed since. Of any other tool
    the parameters become variables, and a text is made that tells the task.

    Raises:
        OutputError: when the tool was changed so that its prompt would be wrong.
    """
    text = spec.origin.prompt
    text = (
        rewritten(text, _changed_prompt(spec))
        if text
        else json.dumps(_new_prompt(spec), indent=2, ensure_ascii=False) + "\n"
    )
    parse_prompt(text, path, OutputError)
    return text


def _changed_prompt(spec: ToolSpec) -> dict[str, Any]:
    """Return the prompt that the tool was read from, with what the tool says otherwise now."""
    text = spec.origin.prompt
    where = f"{spec.where}: origin.prompt"
    document = Document(where, text, parse_json(text, where, OutputError))
    was = tool_of_prompt(check_prompt(document, OutputError), document, spec.domain)
    about: dict[str, Any] = document.value["metadata"]
    changes: dict[str, Any] = {}
    if spec.tool.description != was.description:
        changes["description"] = (spec.tool.description or "").removesuffix(f"\n\n{about.get('usage_notes')}")
    if not same(spec.tool.parameters, was.parameters):
        changes["variables"] = _parameters_as_variables(spec, about.get("variables", ()))
    if not same(spec.returns, was.returns):
        changes["expected_output"] = _expected_output(spec.returns)
    if spec.origin.title != was.origin.title:
        changes["prompt_name"] = spec.origin.title
    about = {**about, **changes}
    return {**document.value, "metadata": {key: part for key, part in about.items() if part or key not in changes}}


def _new_prompt(spec: ToolSpec) -> dict[str, Any]:
    """Return a prompt for a tool that was read from none: its arguments are variables, and a line each in the text."""
    variables = _parameters_as_variables(spec)
    about = {
        "prompt_name": spec.origin.title or spec.name,
        "description": spec.tool.description,
        "variables": variables,
        "expected_output": _expected_output(spec.returns),
    }
    lines = [spec.tool.description or spec.name.replace("_", " ")]
    lines += [f"{variable['name']}: {{{{{variable['name']}}}}}" for variable in variables]
    return {
        "version": 1,
        "model_prompt": "\n".join(lines),
        "metadata": {key: part for key, part in about.items() if part},
    }


def _parameters_as_variables(spec: ToolSpec, earlier_variables: Iterable[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return the parameters as variables.

    Those of `earlier_variables` that are the same parameter already stay as they are. A parameter of another type
    than text or a choice of texts becomes text, and its description says which type.
    """
    schema = spec.tool.parameters or {}
    required = set(schema.get("required", ()))
    before = {variable["name"]: variable for variable in earlier_variables}
    variables = []
    for name, part in schema.get("properties", {}).items():
        part = part if isinstance(part, dict) else {}
        earlier = msgspec.convert(before[name], Variable) if name in before else None
        if (
            earlier is not None
            and same(_variable_schema(earlier), part)
            and (earlier.default is None) == (name in required)
        ):
            variables.append(before[name])
        elif "{" not in name and "}" not in name and name.strip() == name and name:
            variables.append(msgspec.to_builtins(_parameter_as_variable(name, part, is_required=name in required)))
    return variables


def _parameter_as_variable(name: str, schema: dict[str, Any], *, is_required: bool) -> Variable:
    """Return an argument as a variable: a choice of texts, several of them, or text."""
    items, described = schema.get("items"), schema.get("description") or ""
    choices = _distinct_texts(schema.get("enum"))
    several = _distinct_texts(items.get("enum")) if isinstance(items, dict) and schema.get("type") == "array" else None
    kind: Any = "multi-select" if several else "single-select" if choices else "text"
    if kind == "text" and schema.get("type", "string") != "string":
        described = f"{described} ({schema['type']})".strip()
    usual: str | list[str] = [] if several else choices[0] if choices else ""
    default = schema.get("default") if isinstance(schema.get("default"), type(usual)) else usual
    return Variable(
        name=name,
        type=kind,
        description=described or None,
        default=None if is_required else default,
        allowed_values=several or choices,
    )


def _distinct_texts(values: Any) -> list[str] | None:
    """Return the values, if they are different texts."""
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return list(dict.fromkeys(values))
    return None


def _expected_output(returns: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what a prompt says of its output, from the schema of a tool's result."""
    if not returns:
        return None
    values = _distinct_texts(returns.get("enum"))
    if values:
        return {"type": "limited", "allowed_values": values}
    return {"type": "text"} if returns.get("type") == "string" else {"type": "text", "format": "JSON"}
