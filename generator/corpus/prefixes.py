"""Texts that end early, at every byte: what a parser sees when a model runs out of tokens.

Every prefix of the first few short valid cases of a format is a case, including those that end inside a character; of
the first few long ones, some prefixes are. The verdict is `i`; what may be read is listed.
"""

from collections.abc import Iterable, Iterator

import msgspec

from generator.core.seeds import Draw, stream_seed
from generator.corpus.case import Case, ChunkPlan, Mutation, Oracle
from generator.corpus.chunks import is_torn
from generator.corpus.emissions import readings_of_prefix
from generator.corpus.making import CaseMaker
from generator.corpus.toolbox import TODAY
from generator.formats.wire.format import WireFormat

SHORT = 320
"""Bytes of a text up to which every prefix is a case."""
LONG = 6000
"""Bytes of a text from which no prefix is taken."""
_CUTS = 48
"""Prefixes of a longer text."""


class PrefixMaker:
    """Adds the prefixes of chosen cases to a stream of cases."""

    def __init__(self, maker: CaseMaker, each: int) -> None:
        self._maker = maker
        self._left = {"short": each, "long": each}

    def after(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield the cases, each chosen one followed by its prefixes."""
        for case in cases:
            yield case
            size = "short" if len(case.text) <= SHORT else "long"
            if case.verdict == "y" and len(case.text) <= LONG and self._left[size]:
                self._left[size] -= 1
                yield from self._prefixes(case)

    def _prefixes(self, case: Case) -> Iterator[Case]:
        length = len(case.text)
        if length <= SHORT:
            return (_prefix(case, at, self._maker.fmt) for at in range(1, length))
        draw = Draw(stream_seed("corpus", "prefixes", self._maker.seed, case.format, case.id), TODAY)
        return (
            _prefix(case, at, self._maker.fmt) for at in sorted({draw.between(1, length - 1) for _ in range(_CUTS)})
        )


def _prefix(case: Case, at: int, fmt: WireFormat) -> Case:
    """Return the first bytes of a case."""
    assert case.oracle is not None
    assert case.emissions is not None
    text = case.text[:at]
    allowed = readings_of_prefix(fmt, case.oracle.tool_calls, case.text, case.emissions, at)
    splits = any(
        token in case.text[max(0, at - len(token) + 1) : at + len(token) - 1] for token in map(str.encode, fmt.special)
    )
    kept = [plan for plan in case.plans if plan.kind in ("whole", "tokens", "tokenizer")]
    return msgspec.structs.replace(
        case,
        id=f"i_prefix-{case.id.rpartition('-')[2]}-{at:04d}",
        verdict="i",
        text=text,
        mutations=(*case.mutations, Mutation("truncate", at)),
        plans=tuple([ChunkPlan(plan.kind, _sizes(plan, at), not is_torn(text), splits) for plan in kept]),
        allowed=tuple([Oracle(calls, case.oracle.content) for calls in allowed]),
        emissions=None,
        stretch=None,
        parent=case.id,
    )


def _sizes(plan: ChunkPlan, length: int) -> tuple[int, ...]:
    """Return the sizes of a plan's pieces up to a number of bytes."""
    sizes: list[int] = []
    for size in plan.sizes:
        if length <= 0:
            break
        sizes.append(min(size, length))
        length -= size
    return tuple(sizes)
