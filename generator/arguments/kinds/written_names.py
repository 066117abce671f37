"""The tables of written_names.yaml: values that stand for names, and what people call them."""

from collections import Counter

from generator.arguments.kinds.records import split_values
from generator.core.yaml_values import own_data


def _table(given: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the forms of each value; a form that stands for two values, or is itself a value, is dropped."""
    written = {value: split_values(forms) for value, forms in given.items()}
    owners = Counter(form.casefold() for forms in written.values() for form in forms)
    values = {value.casefold() for value in written}
    kept = {
        value: tuple(form for form in forms if owners[form.casefold()] == 1 and form.casefold() not in values)
        for value, forms in written.items()
    }
    return {value: forms for value, forms in kept.items() if forms}


WRITTEN_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    kind: _table(given) for kind, given in own_data(__file__).items()
}
"""Kind → value → its forms, the usual one first."""
