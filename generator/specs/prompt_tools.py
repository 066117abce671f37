"""A portable JSON prompt as a tool, and a tool as such a prompt."""

import re
from typing import Any

from generator.portable.models import ExpectedOutput, Metadata, PortablePrompt, Variable
from generator.specs.found import FoundTool
from generator.toolbox import ToolOrigin, ToolSpec

KIND = "portable"


def tool_of_prompt(prompt: PortablePrompt, where: str, stem: str) -> FoundTool:
    """Return the tool that a prompt is: variables are its parameters, `expected_output` is its result.

    Variables without a default are required, as far as the text holds them.
    """
    about = prompt.metadata
    name = re.sub(r"[^a-z0-9]+", "_", (about.prompt_name or stem).lower()).strip("_") or "prompt"
    required = [variable.name for variable in about.variables if variable.default is None]
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {variable.name: _schema_of(variable) for variable in about.variables},
    }
    if required:
        parameters["required"] = required
    parameters["additionalProperties"] = False
    title = about.prompt_name or ""
    return FoundTool(
        name=name,
        where=where,
        origin=ToolOrigin(kind=KIND, title=title, prompt=prompt.model_prompt, name=title if title != name else ""),
        domain=stem,
        description="\n\n".join(part for part in (about.description, about.usage_notes) if part) or None,
        parameters=parameters,
        returns=_returns_of(about.expected_output) if about.expected_output else None,
    )


def _schema_of(variable: Variable) -> dict[str, Any]:
    values = {"type": "string"} | ({"enum": variable.allowed_values} if variable.allowed_values else {})
    schema: dict[str, Any] = values
    if variable.type == "multi-select":
        schema = {"type": "array", "items": values, "uniqueItems": True}
    if variable.description:
        schema = {**schema, "description": variable.description}
    return schema if variable.default is None else {**schema, "default": variable.default}


def _returns_of(output: ExpectedOutput) -> dict[str, Any]:
    if output.allowed_values:
        return {"type": "string", "enum": output.allowed_values}
    words = [word for word in (output.language, output.format, output.type) if word]
    return {"type": "string", "description": " ".join(dict.fromkeys(words))}


def prompt_of_tool(spec: ToolSpec) -> PortablePrompt:
    """Return the prompt that a tool is: its parameters are variables; its text, where the tool was no prompt, tells the task.

    A parameter of another type than text or a choice of texts becomes text, and its description says which type.
    """
    schema = spec.tool.parameters or {}
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    variables = [
        _variable_of(name, part if isinstance(part, dict) else {}, is_required=name in required)
        for name, part in properties.items()
        if "{" not in name and "}" not in name and name.strip() == name and name
    ]
    text = spec.origin.prompt or _text_of(spec, [variable.name for variable in variables])
    return PortablePrompt(
        version=1,
        model_prompt=text,
        metadata=Metadata(
            prompt_name=spec.origin.title or spec.name,
            description=spec.tool.description,
            variables=variables,
            expected_output=_output_of(spec.returns) if spec.returns else None,
        ),
    )


def _variable_of(name: str, schema: dict[str, Any], *, is_required: bool) -> Variable:
    items = schema.get("items")
    described = schema.get("description") or ""
    choices = _texts(schema.get("enum"))
    several = _texts(items.get("enum")) if isinstance(items, dict) and schema.get("type") == "array" else None
    default = None if is_required else schema.get("default")
    if several:
        default = default if isinstance(default, list) else None if is_required else []
        kind: Any = "multi-select"
    elif choices:
        default = default if isinstance(default, str) else None if is_required else choices[0]
        kind = "single-select"
    else:
        kind = "text"
        if schema.get("type", "string") != "string":
            described = f"{described} ({schema['type']})".strip()
        default = default if isinstance(default, str) else None if is_required else ""
    return Variable(
        name=name, type=kind, description=described or None, default=default, allowed_values=several or choices
    )


def _texts(values: Any) -> list[str] | None:
    """Return the values, if they are different texts."""
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return list(dict.fromkeys(values))
    return None


def _output_of(returns: dict[str, Any]) -> ExpectedOutput:
    values = _texts(returns.get("enum"))
    if values:
        return ExpectedOutput(type="limited", allowed_values=values)
    return (
        ExpectedOutput(type="text") if returns.get("type") == "string" else ExpectedOutput(type="text", format="JSON")
    )


def _text_of(spec: ToolSpec, names: list[str]) -> str:
    lines = [spec.tool.description or spec.name.replace("_", " "), *[f"{name}: {{{{{name}}}}}" for name in names]]
    return "\n".join(lines)
