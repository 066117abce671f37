"""DF2xx: what a call passes on."""

from typing import Any

from generator.formats.rules.rules.base import Place, Rule, RuleFindings, add_finding
from generator.formats.rules.rules.tools import DeclaredTool
from generator.formats.rules.text import one_line, quoted, wrong

RULES = (
    Rule("DF201", "Arguments are native JSON objects, not text."),
    Rule(
        "DF202",
        "Arguments are valid against the declared `parameters`, formats included; a tool that declares none takes none.",
    ),
)


def check_arguments(found: RuleFindings, at: Place, function: dict[str, Any], tool: DeclaredTool | None) -> None:
    """Check the arguments of a call; `tool` is the one that it names, if it is declared."""
    arguments = function.get("arguments")
    if not isinstance(arguments, dict):
        add_finding(found, "DF201", (*at, "function", "arguments"), wrong, function, "arguments", "an object")
    elif tool is None or tool.has_bad_parameters:
        pass
    elif tool.validator is None:
        if arguments:
            add_finding(found, "DF202", (*at, "function", "arguments"), _takes_none, tool.name)
    else:
        try:
            if not tool.validator.is_valid(arguments):
                for error in tool.validator.iter_errors(arguments):
                    place = (*at, "function", "arguments", *error.instance_path)
                    add_finding(found, "DF202", place, one_line, error.message)
        except ValueError as fault:  # text or nesting that the validator cannot process
            add_finding(found, "DF202", (*at, "function", "arguments"), _cannot_be_checked, str(fault))


def _takes_none(name: str) -> str:
    return f"{quoted(name)} declares no parameters"


def _cannot_be_checked(fault: str) -> str:
    return f"cannot be checked: {one_line(fault)}"
