"""Limits that a target puts on tools, calls and results, beyond legal JSON Schema.

To add one: a record in providers.yaml; or a `Profile` in a module of its own, and its name in the tuple below.
"""

from generator.core.profiles.character import CHARACTER
from generator.core.profiles.check import ERROR, Excess, arguments_excess, check_result, check_tool, tools_excess
from generator.core.profiles.failed_results import failed_results, says_failure
from generator.core.profiles.profile import Profile
from generator.core.profiles.providers import PROVIDERS
from generator.core.profiles.rewriting import rewritten

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (CHARACTER, *PROVIDERS)}

__all__ = [
    "CHARACTER",
    "ERROR",
    "PROFILES",
    "Excess",
    "Profile",
    "arguments_excess",
    "check_result",
    "check_tool",
    "failed_results",
    "rewritten",
    "says_failure",
    "tools_excess",
]
