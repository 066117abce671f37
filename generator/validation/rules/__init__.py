"""The rules of the DeepFabric data format, by code.

To add one: a generator function in the file of its hundred, a line in the tuple below. Its docstring is the
sentence that people read in `docs/rules.md`.
"""

from generator.validation.rules import arguments, ids, linking, order, structure, tools
from generator.validation.rules.base import Rule, rule

_RULES = (
    rule("DF101", structure.record_has_messages),
    rule("DF102", structure.roles_are_known),
    rule("DF103", structure.content_is_text),
    rule("DF104", structure.assistant_content_is_text),
    rule("DF105", structure.names_are_text),
    rule("DF106", structure.calls_are_the_assistants),
    rule("DF107", structure.calls_are_never_empty),
    rule("DF108", structure.calls_hold_a_function),
    rule("DF109", structure.call_type_is_function),
    rule("DF110", structure.functions_are_named),
    rule("DF201", arguments.arguments_are_objects),
    rule("DF202", arguments.arguments_fit_the_schema),
    rule("DF301", ids.ids_have_nine_characters),
    rule("DF302", ids.ids_are_unique),
    rule("DF401", linking.answers_name_their_call),
    rule("DF402", linking.calls_are_answered_once),
    rule("DF403", linking.results_are_text),
    rule("DF404", linking.results_name_the_called_tool),
    rule("DF501", order.system_comes_first),
    rule("DF502", order.user_speaks_first),
    rule("DF503", order.results_follow_calls),
    rule("DF504", order.turns_alternate),
    rule("DF505", order.user_waits_for_the_answer),
    rule("DF506", order.assistant_speaks_last),
    rule("DF601", tools.tools_are_functions),
    rule("DF602", tools.tool_names_are_unique),
    rule("DF603", tools.called_tools_are_declared),
    rule("DF604", tools.tool_schemas_are_valid),
)

RULES: dict[str, Rule] = {rule.code: rule for rule in _RULES}
