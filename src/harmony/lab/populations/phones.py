"""A fleet of phones, after the marginals of real Android diagnostics.

The frequencies of `charging`, `maker`, `android`, `rooted`, `bluetooth`, `location`, `power saver`,
`nfc`, `unknown sources`, `developer mode` and the quantiles of `log drain` (decimal logarithm of
the seconds per percent of battery) are those of the GreenHub data set (75,925 charging periods of
1,264 devices, October 2017 to June 2018; github.com/greenhub-project/notebooks, MIT licence).
`memory`, `brightness`, `theme`, `top app` and `crashed` are not in it and are invented, as are all
correlations but the strongest few, which follow the data set's.

Factors, in order: how new the phone is, how much it is used, how technical its owner is.
"""

from __future__ import annotations

import numpy as np

from .model import Population, category, number
from .shapes import humped, spaced

MAKERS = (
    "asus", "bq", "htc", "huawei", "lenovo", "lge", "motorola", "oneplus",
    "other", "samsung", "sony", "tcl", "vodafone", "wiko", "xiaomi", "zte",
)  # fmt: skip
ANDROIDS = ("4.1", "4.2", "4.3", "4.4", "5.0", "5.1", "6.0", "7.0", "7.1", "8.0", "8.1")

DRAIN_QUANTILES = (
    0.964, 1.663, 1.765, 1.84, 1.9, 1.951, 2.0, 2.046, 2.092, 2.145, 2.213,
    2.301, 2.399, 2.502, 2.603, 2.698, 2.792, 2.893, 3.013, 3.181, 5.0,
)  # fmt: skip
"""Every fifth percentile of log10(seconds per percent of battery)."""


def phones(n: int = 1_000_000, seed: int = 2016) -> Population:
    """Phones with 3 numeric and 13 categorical attributes; `log drain` is in hundredths.

    >>> fleet = phones(1000).table()
    >>> bool(300 < fleet["maker"].tolist().count(MAKERS.index("samsung")) < 420)
    True
    """
    drain = spaced(96, 500)
    memory = spaced(0, 100)
    brightness = spaced(0, 255)
    running = np.interp(drain / 100, DRAIN_QUANTILES, np.linspace(0, 1, len(DRAIN_QUANTILES)))
    shares = np.diff(np.concatenate([[0.0], running])) + 1e-9
    traits = (
        number("log drain", drain, shares, -0.2, -0.45),
        number("memory", memory, humped(memory, 62, 16), -0.25, 0.5),
        number("brightness", brightness, humped(brightness, 110, 60), 0.0, 0.35),
        category("charging", [0.4467, 0.5533], 0.15, 0.6),
        category(
            "maker",
            [
                0.0103, 0.0643, 0.0093, 0.0642, 0.0058, 0.0389, 0.0617, 0.1325,
                0.1151, 0.3614, 0.0252, 0.0131, 0.0496, 0.0156, 0.0127, 0.0202,
            ],
            0.0, 0.0, -0.15,
        ),
        category(
            "android",
            [
                0.0067, 0.0088, 0.001, 0.0404, 0.0438, 0.0672,
                0.4234, 0.2983, 0.1092, 0.0001, 0.0011,
            ],
            0.9,
        ),
        category("rooted", [0.8976, 0.1024], 0.05, 0.0, 0.55),
        category("bluetooth", [0.7806, 0.2194], 0.2, 0.4),
        category("location", [0.4683, 0.5317], 0.25, 0.5),
        category("power saver", [0.9347, 0.0653], 0.25, -0.1, -0.2),
        category("nfc", [0.822, 0.178], 0.2, 0.15),
        category("unknown sources", [0.5177, 0.4823], 0.05, 0.0, 0.6),
        category("developer mode", [0.8564, 0.1436], -0.1, 0.0, 0.55),
        category("theme", [0.5, 0.3, 0.2], 0.3, 0.1, 0.2),
        category("top app", [0.26, 0.19, 0.14, 0.11, 0.09, 0.07, 0.06, 0.05, 0.03], 0.0, 0.35),
        category("crashed", [0.97, 0.03], -0.4, 0.3, 0.2),
    )  # fmt: skip
    return Population("phones", traits, n, seed)
