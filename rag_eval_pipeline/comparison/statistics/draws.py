"""Random draws that a text decides, the same on every platform and with every version of NumPy.

Only the raw bits of a generator are promised to stay, not the distributions made of them. So the
distributions are made here, with nothing but +, −, ×, ÷ and √, which IEEE 754 rounds in one way.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
_BITS = 32
# Standard deviations, and draws beside them, beyond which a 32-bit number never falls.
_REACH = 9
# Limits per block, and rows of them that a key has room for.
_BLOCK, _ROWS = 1 << 21, 1 << 15


class Draws:
    """A stream of random numbers seeded by a text."""

    __slots__ = ("_bits",)

    def __init__(self, seed: str) -> None:
        digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
        self._bits = np.random.PCG64(int.from_bytes(digest, "big"))

    def octets(self, n: int) -> npt.NDArray[np.uint8]:
        """Eight fair bits each."""
        return self._bits.random_raw(-(-n // 8)).astype("<u8").view(np.uint8)[:n]

    def places(self, rows: int, columns: int, below: int) -> Integers:
        """A matrix of whole numbers from 0 to `below` − 1, each as likely (to 2⁻³² · below)."""
        scaled = np.multiply(self._words(rows * columns), below, dtype=np.uint64)
        scaled >>= np.uint64(_BITS)
        return scaled.view(np.int64).reshape(rows, columns)

    def binomial(self, trials: Integers, part: int, whole: int) -> Integers:
        """For each entry a draw of Binomial(entry, part / whole), by inversion."""
        if part == whole:
            return trials
        words = self._words(len(trials)).astype(np.int64)
        least, most = int(trials.min()), int(trials.max())
        rows = min(max(_BLOCK // _width(most, part / whole), 1), _ROWS)
        drawn = np.empty_like(trials)
        for start in range(least, most + 1, rows):
            sizes = np.arange(start, min(start + rows, most + 1))
            here = (trials >= start) & (trials < start + rows)
            drawn[here] = _inverted(sizes, part, whole, trials[here] - start, words[here])
        return drawn

    def _words(self, n: int) -> npt.NDArray[np.uint32]:
        return self._bits.random_raw(-(-n // 2)).astype("<u8").view("<u4")[:n]


def _inverted(sizes: Integers, part: int, whole: int, row: Integers, words: Integers) -> Integers:
    """Draws of Binomial(sizes[row], part / whole), one per word."""
    share = part / whole
    first = np.maximum(np.floor(sizes * share - _reach(sizes, share)), 0.0)
    # A row per number of trials: probabilities from the lowest that can be drawn upwards.
    width = _width(int(sizes[-1]), share)
    k = first[:, None] + np.arange(width - 1)
    steps = np.maximum(sizes[:, None] - k, 0.0) / (k + 1) * (part / (whole - part))
    relative = np.cumprod(np.hstack((np.ones((len(sizes), 1)), steps)), axis=1)
    upto = np.cumsum(relative, axis=1)
    limits = np.floor(upto / upto[:, -1:] * 2.0**_BITS).astype(np.int64)
    # One sorted list of all rows, a row in the upper bits.
    limits += np.arange(len(sizes), dtype=np.int64)[:, None] << _BITS
    found = _places(limits.ravel(), (row << _BITS) + words)
    drawn: Integers = found - row * width + first.astype(np.int64)[row]
    return drawn


def _reach(sizes: npt.ArrayLike, share: float) -> npt.NDArray[np.float64]:
    """How far from its mean a draw can fall."""
    return _REACH * np.sqrt(np.asarray(sizes) * (share * (1 - share))) + _REACH


def _width(size: int, share: float) -> int:
    """Numbers within reach, at most."""
    return min(int(2 * _reach(size, share)) + 2, size + 1)


def _places(limits: Integers, keys: Integers) -> Integers:
    """Limits that are at most each key. Keys in order are found several times faster."""
    bits = len(keys).bit_length()
    # The place of a key rides in its lower bits, so that plain sorting tells the order too.
    tagged = np.sort((keys << bits) + np.arange(len(keys)))
    places = np.empty_like(keys)
    places[tagged & ((1 << bits) - 1)] = np.searchsorted(limits, tagged >> bits, side="right")
    return places
