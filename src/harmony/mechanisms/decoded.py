"""What a report decodes to, by the kind of device that sent it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats


@dataclass(frozen=True)
class Decoded:
    """The mean and the next three cumulants of a decoded report, for each kind of device.

    Devices of one kind have the same value (or, of a share, both have the value or both lack
    it), so what is left is the privacy noise alone.  `variance`, `third` and `fourth` say how
    wide, how lopsided and how heavy-tailed it is.
    """

    mean: Floats
    variance: Floats
    third: Floats
    fourth: Floats

    @classmethod
    def of_moments(cls, first: Floats, second: Floats, third: Floats, fourth: Floats) -> Decoded:
        """Return the cumulants that belong to these moments about zero."""
        square = first**2
        return cls(
            first,
            second - square,
            third - 3 * first * second + 2 * first * square,
            fourth - 4 * first * third - 3 * second**2 + 12 * square * second - 6 * square**2,
        )

    @classmethod
    def of_support(cls, chances: ArrayLike, p: float, q: float) -> Decoded:
        """Return those of a report that supports a value with these chances.

        It decodes to (1 - q) / (p - q) if it does, and to -q / (p - q) if not.

        >>> Decoded.of_support([0.25, 0.75], p=0.75, q=0.25).mean.tolist()
        [0.0, 1.0]
        """
        chance, unit = np.asarray(chances, np.float64), p - q
        variance = chance * (1 - chance)
        return cls(
            (chance - q) / unit,
            variance / unit**2,
            variance * (1 - 2 * chance) / unit**3,
            variance * (1 - 6 * variance) / unit**4,
        )
