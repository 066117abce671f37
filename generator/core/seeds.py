"""Named random streams: every stream is a pure function of the words that name it.

Nothing here reads the clock, the process or a global state, so the same words give the same
numbers in any process, on any machine, in any order.
"""

import random
from base64 import b64encode
from collections.abc import Callable, Iterable
from datetime import date
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def stream_seed(*parts: object) -> int:
    """Return the 64-bit seed of the random stream that these parts name: `stream_seed("pool", "city", 42)`."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


class Draw:
    """One row's (or one result's) randomness and its calendar day.

    `rand` is the only source of entropy for everything that makes values: a function that returns a
    float in [0, 1). `today` is the day that relative dates count from.
    """

    __slots__ = ("rand", "stream", "today")

    def __init__(self, seed: int, today: date) -> None:
        self.stream = random.Random(seed)
        self.rand: Callable[[], float] = self.stream.random
        self.today = today

    def reseed(self, seed: int, today: date) -> None:
        """Start another stream in place (cheaper than a new object)."""
        self.stream.seed(seed)
        self.today = today

    def below(self, n: int) -> int:
        """Return a whole number in [0, n)."""
        return int(self.rand() * n)

    def between(self, low: int, high: int) -> int:
        """Return a whole number in [low, high]."""
        return low + int(self.rand() * (high - low + 1))

    def choice(self, options: "tuple[T, ...] | list[T]") -> T:
        """Return one of `options`."""
        return options[int(self.rand() * len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.rand() < probability

    def ordered(self, weighted: "Iterable[tuple[str, float]]") -> list[str]:
        """Return names with weights in random order: each is first with a chance in proportion to its weight, and so on for the rest."""
        return [name for name, _ in sorted(weighted, key=lambda pair: -(self.rand() ** (1 / pair[1])))]

    def shuffled(self, options: "tuple[T, ...] | list[T]") -> list[T]:
        """Return all of `options` in a random order."""
        shuffled_options = list(options)
        rand = self.rand
        for i in range(len(shuffled_options) - 1, 0, -1):
            j = int(rand() * (i + 1))
            shuffled_options[i], shuffled_options[j] = shuffled_options[j], shuffled_options[i]
        return shuffled_options


def call_id(rand: Callable[[], float]) -> str:
    """Return nine characters of [a-zA-Z0-9] (DeepFabric format, rule 2)."""
    digits = int(rand() * 2**53) << 3  # all bits that a random number has
    return b64encode(digits.to_bytes(7, "big"), b"aZ")[:9].decode()
