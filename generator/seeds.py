"""Randomness with an address: every stream is a pure function of the words that name it.

Nothing here reads the clock, the process or a global state, so the same words give the same
numbers in any process, on any machine, in any order.
"""

import random
from collections.abc import Callable
from datetime import date
from functools import cache
from hashlib import blake2b
from struct import Struct
from typing import TypeVar

T = TypeVar("T")


def stream_seed(*words: object) -> int:
    """A 64-bit seed for the stream that `words` name."""
    text = "\x1f".join(map(str, words)).encode("utf-8", "surrogatepass")
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
        """A whole number in [0, n)."""
        return int(self.rand() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high]."""
        return low + int(self.rand() * (high - low + 1))

    def choice(self, options: "tuple[T, ...] | list[T]") -> T:
        """One of `options`."""
        return options[int(self.rand() * len(options))]

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.rand() < probability

    def shuffled(self, options: "tuple[T, ...] | list[T]") -> list[T]:
        """All of `options` in a random order."""
        rest = list(options)
        rand = self.rand
        for i in range(len(rest) - 1, 0, -1):
            j = int(rand() * (i + 1))
            rest[i], rest[j] = rest[j], rest[i]
        return rest


class TableDraw(Draw):
    """A stream that is started often and used little: a walk through one fixed table of random numbers.

    Where the walk begins and by how much every number is shifted come from 64 bits of the stream's address. Starting
    costs a tenth of seeding a Mersenne Twister, which is what matters for results of a few values.

    Whoever takes many numbers may walk on alone: the next one is `(table[place := place + 1] + shift) % 1.0`. The table is
    longer than the walk is round, so that a place need be brought back (`place & ROUND`) only now and then.
    """

    __slots__ = ("place", "shift")

    def __init__(self, today: date) -> None:
        self.today = today
        self.place, self.shift = 0, 0.0
        table = walk_table()

        def rand() -> float:
            self.place = place = (self.place & ROUND) + 1
            return (table[place] + self.shift) % 1.0

        self.rand = rand

    def start(self, address: bytes) -> None:
        """Begin the walk that eight bytes name: 16 bits for the place, 48 for the shift."""
        self.place, high, low = _PARTS(address)
        self.shift = (high + low / 4294967296.0) / 65536.0

    def walk_on(self, place: int) -> "TableDraw":
        """The same walk at another place."""
        self.place = place
        return self


ROUND = 0xFFFF
WALKED_ALONE = 1 << 12
"""How many numbers may be taken before the place is brought back."""
_PARTS = Struct(">HHI").unpack


@cache
def walk_table() -> tuple[float, ...]:
    """The numbers, of which the first ones stand at the end again."""
    stream = random.Random(0)
    numbers = [stream.random() for _ in range(ROUND + 1)]
    return tuple(numbers + numbers[: WALKED_ALONE + 1])


_ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_ID_PAIRS = tuple(first + second for second in _ID_ALPHABET for first in _ID_ALPHABET)
"""All pairs of digits to the base 62, the less significant one first."""


def call_id(rand: Callable[[], float]) -> str:
    """Nine characters of [a-zA-Z0-9] (DeepFabric format, rule 2)."""
    pairs = _ID_PAIRS
    high, low = divmod(int(rand() * 13537086546263552), 14776336)  # 62 ** 9, 62 ** 4
    last = high // 3844  # 62 ** 2
    return f"{pairs[low % 3844]}{pairs[low // 3844]}{pairs[high % 3844]}{pairs[last % 3844]}{_ID_ALPHABET[last // 3844]}"
