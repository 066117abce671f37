"""Names that a target accepts, made from those that it does not."""

import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from generator.core.profiles import Profile

ANY_TARGET = (r"[a-zA-Z0-9_.-]+", 64)
"""The names that this program reads and every format writes: pattern and greatest length."""
_DIGEST = 6
"""Hexadecimal digits that tell two names apart."""


def accepted_names(names: Sequence[str], profile: Profile | None = None) -> list[str]:
    """Return one name for each, all different: the name itself where the target takes it.

    A name depends on the names before it only where two come to be the same. What was replaced cannot be read off the
    new name, so whoever calls this keeps the old one (`Origin.name`).
    """
    pattern, most = (profile.tool_name, profile.longest_name) if profile else ANY_TARGET
    reserved = profile.reserved if profile else frozenset()
    fits = re.compile(pattern).fullmatch
    kept = {name for name in names if fits(name) and len(name) <= most and name not in reserved}
    taken: set[str] = set()
    found = []
    for name in names:
        new = name if name in kept and name not in taken else _new_name(name, fits, most, kept | taken | reserved)
        taken.add(new)
        found.append(new)
    return found


def _new_name(name: str, fits: Callable[[str], Any], most: int, taken: set[str]) -> str:
    plain = "".join(letter if fits(f"a{letter}") else "_" for letter in name)
    if not fits(plain[:1] or "_"):
        plain = f"tool_{plain.lstrip('_')}"
    new = plain if len(plain) <= most else ""
    attempt = 0
    while not new or new in taken:
        digest = blake2b(f"{name}\x1f{attempt}".encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2).hexdigest()
        new = f"{plain[: most - _DIGEST - 1]}_{digest}"
        attempt += 1
    return new
