"""Which defects rows of a scenario can show at all, for recipes of preference data."""

from collections.abc import Collection

_PARALLEL = ("parallel", "parallel_multiple", "mixed", "join", "compare", "partial_failure", "multi_turn")
_CHAINS = ("sequential", "fan_out", "mixed", "join", "compute", "multi_turn")
_WITHOUT_CALLS = ("irrelevant", "near_miss")
_ONLY_IN: dict[str, Collection[str]] = {
    "missing_call": tuple([name for name in _PARALLEL if name != "join"]),  # which makes two calls at once
    "serial_calls": _PARALLEL,
    "dependent_calls": (*_CHAINS, "ambiguous"),
    "early_stop": (*_CHAINS, "helper", "conditional"),
    "ignored_error": ("error_recover", "error_stop", "retry_later", "partial_failure", "multi_turn"),
    "call_instead_of_question": ("clarify", "switch", "confirm", "ambiguous", "bad_value", "multi_turn"),
}
_NOT_IN: dict[str, Collection[str]] = {
    "extra_call": (),
    "unfounded_claim": (*_WITHOUT_CALLS, "empty_result", "error_stop"),
}
_OF_TEXTS = ("call_instead_of_question", "unfounded_claim")
_OF_BOTH = ("extra_call", "ignored_error")


def why_never(defect: str, scenarios: Collection[str], train: str) -> str | None:
    """Return why no row of a recipe can show a defect; None where one can.

    Args:
        defect: Its name.
        scenarios: Those of the recipe.
        train: Which messages are to be learnt, as the recipe says; only in place of these something is rejected.
    """
    only, never = _ONLY_IN.get(defect), _NOT_IN.get(defect, _WITHOUT_CALLS)
    if only is not None and not set(only) & set(scenarios):
        return f"no scenario of the recipe can show it; these can: {', '.join(only)}"
    if set(scenarios) <= set(never):
        return f"no row of {', '.join(scenarios)} can show it"
    is_of_texts = defect in _OF_TEXTS
    if defect not in _OF_BOTH and is_of_texts == (train == "calls") and train != "all":
        return f"`train: {train}` leaves no message to learn in whose place it could be"
    return None
