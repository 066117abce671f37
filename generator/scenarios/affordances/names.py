"""Words in names that tell what scenarios can do with tools, arguments and fields; they stand in `names.yaml`."""

from functools import cache

from generator.core.yaml_values import own_data


@cache
def _tables() -> dict[str, list[str]]:
    return dict(own_data(__file__))


def words_that_tell(key: str) -> frozenset[str]:
    """Return the words under a key of `names.yaml`."""
    return frozenset(_tables()[key])
