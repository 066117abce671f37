"""Arguments that go together in a call, and sets of arguments of which a call has exactly one."""

from collections.abc import Container, Iterator

import msgspec


class Groups(msgspec.Struct, frozen=True, kw_only=True):
    """What the schema of a tool does not say of which arguments a call has."""

    together: tuple[tuple[str, ...], ...] = ()
    """Arguments of which a call has all or none."""
    one_of: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Sets of arguments: a call has all of exactly one of them, and nothing that stands in the others only. A set may be empty."""

    def __bool__(self) -> bool:
        """Whether there is a group."""
        return bool(self.together or self.one_of)

    def broken(self, given: Container[str]) -> Iterator[str]:
        """Yield what is wrong with a call that has the given arguments."""
        for group in self.together:
            missing = [name for name in group if name not in given]
            if missing and len(missing) < len(group):
                yield f"{', '.join(missing)} is missing: {', '.join(group)} are given together"
        for choice in self.one_of:
            if not any(is_chosen(alternative, choice, given) for alternative in choice):
                told = " or ".join(", ".join(alternative) or "nothing" for alternative in choice)
                yield f"exactly one is expected of {told}"

    def beside(self, name: str) -> tuple[str, ...]:
        """Return the arguments that a call has with one of them: itself alone, unless it stands in a group."""
        for group in (*self.together, *[one for choice in self.one_of for one in choice]):
            if name in group:
                return group
        return (name,)


def is_chosen(alternative: tuple[str, ...], choice: tuple[tuple[str, ...], ...], given: Container[str]) -> bool:
    """Whether a call has all of one of the sets of a choice, and nothing that stands in the others only."""
    others = {name for other in choice for name in other} - set(alternative)
    return all(name in given for name in alternative) and not any(name in given for name in others)
