"""The design matrix of all devices, packed for the kernels: it is never written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...errors import HarmonyError

Column = NDArray[Any] | tuple[NDArray[Any], int]
"""A number in [-1, 1] of every device, or every device's code 0..k-1 with k."""


@dataclass(frozen=True, eq=False)
class DesignMatrix:
    """Devices in rows, encoded as section 5.3 says: k - 1 columns of +-1 for k values.

    The l-th value (l < k) is 1 in the l-th column and -1 in the others, the k-th is all -1.  So
    the product with coefficients is a sum of one number for each attribute, looked up by its code.

    >>> x = DesignMatrix.pack([np.array([0.5, -1.0]), (np.array([2, 0]), 3)])
    >>> x.devices, x.d
    (2, 3)
    >>> x.scores(np.array([1.0, 10.0, 100.0])).tolist()
    [-109.5, -91.0]
    """

    numbers: NDArray[np.float32]
    codes: NDArray[Any]
    sizes: tuple[int, ...]
    is_number: tuple[bool, ...]

    @classmethod
    def pack(cls, columns: Sequence[Column]) -> DesignMatrix:
        """Gather columns, in their order, into a row for each device."""
        if not columns:
            raise HarmonyError("'x' must have at least one column")
        is_number = tuple(not isinstance(column, tuple) for column in columns)
        numbers = [np.asarray(column) for column in columns if not isinstance(column, tuple)]
        coded = [column for column in columns if isinstance(column, tuple)]
        if len({len(one) for one in numbers} | {len(codes) for codes, _ in coded}) != 1:
            raise HarmonyError("'x': the columns differ in length")
        devices = len(numbers[0]) if numbers else len(coded[0][0])
        dtype = np.uint8 if all(k <= 256 for _, k in coded) else np.int32
        packed_numbers = np.empty((devices, len(numbers)), np.float32)
        for place, column in enumerate(numbers):
            if devices and not (np.abs(column) <= 1).all():
                raise HarmonyError("'x': numbers must lie in [-1, 1]")
            packed_numbers[:, place] = column
        packed_codes = np.empty((devices, len(coded)), dtype)
        for place, (codes, k) in enumerate(coded):
            if devices and not (codes.min() >= 0 and codes.max() < k):
                raise HarmonyError("'x': codes must lie in 0..k-1")
            packed_codes[:, place] = codes
        return cls(packed_numbers, packed_codes, tuple(k for _, k in coded), is_number)

    @property
    def devices(self) -> int:
        return len(self.numbers)

    @property
    def d(self) -> int:
        """The number of encoded columns."""
        return int(self.numbers.shape[1]) + sum(k - 1 for k in self.sizes)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each categorical attribute begins among the values of all."""
        return np.concatenate([[0], np.cumsum(self.sizes)])[:-1].astype(np.int64)

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """Where each categorical attribute begins among `coordinates`, and its k - 1."""
        sizes = np.array(self.sizes, np.int64).reshape(-1)
        first = self.numbers.shape[1] + self.starts - np.arange(len(sizes))
        return np.stack([first, sizes - 1], axis=1)

    @cached_property
    def coordinates(self) -> NDArray[np.int64]:
        """Column and value of each encoded column, numbers first; a number's value is -1."""
        numbers = [(place, -1) for place in range(self.numbers.shape[1])]
        values = [(place, v) for place, k in enumerate(self.sizes) for v in range(k - 1)]
        return np.array(numbers + values, np.int64).reshape(-1, 2)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Where each encoded column, in the order of the attributes, is among `coordinates`."""
        numbers = iter(range(self.numbers.shape[1]))
        blocks = iter(self.blocks.tolist())
        places: list[int] = []
        for number in self.is_number:
            if number:
                places.append(next(numbers))
            else:
                start, width = next(blocks)
                places += range(start, start + width)
        return np.array(places, np.int64)

    def lookup(self, beta: Floats) -> tuple[float, Floats, Floats]:
        """Return what a score adds up from: a constant, a factor a number, a term a value.

        `beta` is in the order of `coordinates`.
        """
        numbers, values = np.split(beta, [self.numbers.shape[1]])
        terms = np.zeros(sum(self.sizes))
        has_column = np.ones(len(terms), bool)
        has_column[self.starts + np.array(self.sizes, np.int64) - 1] = False
        terms[has_column] = 2 * values
        return -float(values.sum()), numbers, terms

    def scores(
        self, coefficients: Floats, intercept: float = 0.0, first: int = 0, count: int | None = None
    ) -> Floats:
        """Return x . coefficients + intercept of `count` devices from number `first` on."""
        from .kernels import scores

        beta = np.empty(self.d)
        beta[self.order] = coefficients
        constant, factors, terms = self.lookup(beta)
        count = self.devices if count is None else count
        found: Floats = scores(
            self.numbers, self.codes, first, count,
            constant + intercept, factors, terms, self.starts,
        )  # fmt: skip
        return found
