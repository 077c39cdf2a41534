"""Coins: the public randomness that says which attribute and row a device answers in a round.

SipHash-2-4, keyed by the round's 16-byte seed, over the device's 16-byte id and a 4-byte
little-endian counter gives 64-bit words; each word is two 32-bit draws, low half first.
The server recomputes every coin, so a report is only the symbols.
"""

from __future__ import annotations

from struct import Struct, error, unpack

TYPE_CHECKING = False  # importing `typing` would cost more than all that runs here
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEED_BYTES = 16
ID_BYTES = 16

_TWO_WORDS = Struct("<QQ")
_LAST_WORD = (ID_BYTES + 4) << 56
"""SipHash closes a message with its length, in the top byte of the last word."""


def siphash24(key: bytes, message: bytes) -> int:
    """Return SipHash-2-4 of `message` under a 16-byte `key`.

    >>> hex(siphash24(bytes(range(16)), bytes(range(15))))
    '0xa129ca6149be45e5'
    """
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) & 0xFF])
    k0, k1 = _TWO_WORDS.unpack(key)
    return _siphash(k0, k1, unpack(f"<{len(padded) // 8}Q", padded))


def coin_word(seed: bytes, device: bytes, counter: int) -> int:
    """Return 64-bit word number `counter` of a device in the round with this `seed`.

    >>> coin_word(bytes(16), bytes(16), 0) == siphash24(bytes(16), bytes(16 + 4))
    True
    """
    try:
        k0, k1 = _TWO_WORDS.unpack(seed)
        first, second = _TWO_WORDS.unpack(device)
    except error:
        raise ValueError("a round's seed and a device's id are 16 bytes each") from None
    return _siphash(k0, k1, (first, second, counter | _LAST_WORD))


class Draws:
    """The 32-bit draws of one device in one round, in order.

    >>> draws = Draws(bytes(16), bytes(16))
    >>> [draws.below(100) for _ in range(4)]
    [78, 62, 76, 92]
    """

    __slots__ = ("_counter", "_device", "_high", "_seed")

    def __init__(self, seed: bytes, device: bytes) -> None:
        self._seed = seed
        self._device = device
        self._counter = 0
        self._high: int | None = None

    def below(self, bound: int) -> int:
        """Return the next draw, scaled to an integer from 0 to `bound` - 1."""
        if self._high is not None:
            draw, self._high = self._high, None
        else:
            word = coin_word(self._seed, self._device, self._counter)
            self._counter += 1
            draw, self._high = word & 0xFFFFFFFF, word >> 32
        return draw * bound >> 32


def assign(
    seed: bytes, device: bytes, weights: Sequence[int], rows: Sequence[int], answers: int
) -> list[tuple[int, int]]:
    """Return the (attribute, row) pairs that `device` answers in the round with this `seed`.

    The attributes come from a partial Fisher-Yates shuffle in which an attribute's chance is
    its weight among those left; then one row is drawn for each.  Walking the pool for each
    answer would take a hostile document's time squared, so its sums are kept in a tree.

    >>> assign(bytes(16), bytes(16), weights=[1, 1, 1], rows=[1, 7, 15], answers=2)
    [(2, 11), (0, 0)]
    """
    left = sum(weights)
    if answers == 1:
        # The usual survey: a single word holds both draws.
        word = coin_word(seed, device, 0)
        rest = (word & 0xFFFFFFFF) * left >> 32
        attribute = 0
        for weight in weights:
            if rest < weight:
                break
            rest -= weight
            attribute += 1
        return [(attribute, (word >> 32) * rows[attribute] >> 32)]
    draws = Draws(seed, device)
    pool, tree = list(range(len(weights))), _sums(weights)
    for place in range(answers):
        chosen = _find(tree, draws.below(left))
        first, attribute = pool[place], pool[chosen]
        left -= weights[attribute]
        pool[place], pool[chosen] = attribute, first
        # The pool begins one place later: nothing is left of the drawn attribute's weight.
        _add(tree, chosen, weights[first] - weights[attribute])
        _add(tree, place, -weights[first])
    return [(attribute, draws.below(rows[attribute])) for attribute in pool[:answers]]


def _sums(weights: Sequence[int]) -> list[int]:
    """Return a binary indexed tree: node i sums the (i & -i) weights that end at place i - 1."""
    tree = [0, *weights]
    for node in range(1, len(tree)):
        parent = node + (node & -node)
        if parent < len(tree):
            tree[parent] += tree[node]
    return tree


def _find(tree: list[int], rest: int) -> int:
    """Return the first place up to which, itself included, the weights sum to more than `rest`."""
    place, step = 0, 1 << (len(tree) - 1).bit_length() - 1
    while step:
        if place + step < len(tree) and tree[place + step] <= rest:
            place += step
            rest -= tree[place]
        step >>= 1
    return place


def _add(tree: list[int], place: int, weight: int) -> None:
    node = place + 1
    while node < len(tree):
        tree[node] += weight
        node += node & -node


def _siphash(k0: int, k1: int, words: Iterable[int]) -> int:
    """Hash padded words.  Half of a report's time goes here, so it is one function.

    Masks come as late as they can: v0 and v2 may carry bits above the 64th until the next
    addition drops them.
    """
    v0 = k0 ^ 0x736F6D6570736575
    v1 = k1 ^ 0x646F72616E646F6D
    v2 = k0 ^ 0x6C7967656E657261
    v3 = k1 ^ 0x7465646279746573
    for word in words:
        v3 ^= word
        for _ in (1, 2):
            v0 = (v0 + v1) & 0xFFFFFFFFFFFFFFFF
            v2 += v3
            v1 = ((v1 << 13 | v1 >> 51) ^ v0) & 0xFFFFFFFFFFFFFFFF
            v3 = ((v3 << 16 | v3 >> 48) ^ v2) & 0xFFFFFFFFFFFFFFFF
            v2 = (v2 + v1) & 0xFFFFFFFFFFFFFFFF
            v0 = (v0 << 32 | v0 >> 32) + v3
            v1 = ((v1 << 17 | v1 >> 47) ^ v2) & 0xFFFFFFFFFFFFFFFF
            v3 = ((v3 << 21 | v3 >> 43) ^ v0) & 0xFFFFFFFFFFFFFFFF
            v2 = v2 << 32 | v2 >> 32
        v0 ^= word
    v2 ^= 0xFF
    for _ in (1, 2, 3, 4):
        v0 = (v0 + v1) & 0xFFFFFFFFFFFFFFFF
        v2 += v3
        v1 = ((v1 << 13 | v1 >> 51) ^ v0) & 0xFFFFFFFFFFFFFFFF
        v3 = ((v3 << 16 | v3 >> 48) ^ v2) & 0xFFFFFFFFFFFFFFFF
        v2 = (v2 + v1) & 0xFFFFFFFFFFFFFFFF
        v0 = (v0 << 32 | v0 >> 32) + v3
        v1 = ((v1 << 17 | v1 >> 47) ^ v2) & 0xFFFFFFFFFFFFFFFF
        v3 = ((v3 << 21 | v3 >> 43) ^ v0) & 0xFFFFFFFFFFFFFFFF
        v2 = v2 << 32 | v2 >> 32
    return (v0 ^ v1 ^ v2 ^ v3) & 0xFFFFFFFFFFFFFFFF
