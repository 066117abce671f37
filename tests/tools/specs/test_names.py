"""Names that a target accepts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from generator.core.profiles import PROFILES
from generator.tools.specs.read import ANY_TARGET, accepted_names

NAMES = st.lists(st.text(max_size=150) | st.from_regex(r"[a-z]{1,3}[./_-][a-z]{1,3}", fullmatch=True), max_size=12)


@given(NAMES, st.sampled_from([None, *PROFILES.values()]))
def test_all_are_accepted_different_and_stay_when_they_can(names, profile):
    pattern, most = (profile.tool_name, profile.longest_name) if profile else ANY_TARGET
    found = accepted_names(names, profile)
    assert len(found) == len(names) == len(set(found))
    assert all(re.fullmatch(pattern, name) and len(name) <= most for name in found)
    for old, new in zip(names, found, strict=True):
        if re.fullmatch(pattern, old) and len(old) <= most and names.count(old) == 1:
            assert new == old


def test_names_read_like_those_they_were_made_from():
    assert accepted_names(["weather.get", "a/b c", "_private", "9lives"], PROFILES["character"]) == [
        "weather_get",
        "a_b_c",
        "tool_private",
        "tool_9lives",
    ]
    first, second = accepted_names(["a.b", "a-b"], PROFILES["character"])
    assert first == "a_b"
    assert re.fullmatch("a_b_[0-9a-f]{6}", second)
