"""Whole surveys over real data: phone diagnostics, a health survey, a census extract."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from tests.shared import load

NAMES = ("phone_greenhub", "brfss2015_income", "census_income_kdd_us23")


@pytest.mark.filterwarnings("ignore::harmony.ClippedWarning")  # bounds were rounded to floats
@pytest.mark.parametrize("name", NAMES)
def test_estimates_of_real_data_lie_around_the_truth(name: str) -> None:
    """About 95% of the intervals hold; false alarms of the bounds below: under one in 10,000."""
    survey, table = load(name)
    result = survey.estimate(survey.collect(table, seed=1))
    held = []
    for attribute in survey.attributes:
        column = table[attribute.name].to_numpy()
        if isinstance(attribute, hm.Numeric):
            estimates, errors = [result[attribute.name].mean], [result[attribute.name].stderr]
            truth = [column.mean()]
        else:
            estimates, errors = result[attribute.name].raw, result[attribute.name].errors
            truth = [(column == value).mean() for value in attribute.values]
        off = np.abs(np.array(estimates) - np.array(truth)) / np.array(errors)
        assert off.max() < 5.5, attribute.name
        held.extend(off < 1.96)
    assert np.mean(held) > 0.85
