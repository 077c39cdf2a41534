"""The draws from counts have the distribution of the simulation person by person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import harmony as hm
from harmony.lab.baselines import BassilySmith, Duchi, HarmonyMixed, Hybrid
from harmony.lab.populations import br
from harmony.lab.reproduce import draws
from harmony.lab.reproduce.experiment import Experiment, expected_largest
from harmony.lab.reproduce.summary import summarize

N, RUNS, EPSILON = 2000, 400, 0.8
PEOPLE = br(N, seed=5)
SIZES = tuple(len(one.values) for one in PEOPLE.attributes[6:])
D = 18


@pytest.fixture(scope="module")
def summary():
    return summarize(PEOPLE)


@pytest.fixture(scope="module")
def tuples() -> np.ndarray:
    """Numbers in [-1, 1], then codes: what the baselines take."""
    table = PEOPLE.table()
    columns = []
    for one in PEOPLE.attributes:
        column = table[one.name].astype(np.float64)
        if isinstance(one, hm.Numeric):
            column = 2 * (column - one.low) / (one.high - one.low) - 1
        columns.append(column)
    return np.stack(columns, axis=1)


def same(left: np.ndarray, right: np.ndarray) -> None:
    """Equal mean, equal spread and equal largest errors, run by run.

    False alarms: two-sample tests at 1e-5 for each of up to 109 columns and 2 moments, 0.2% in all.
    """
    for one, other in zip(left.T, right.T, strict=True):
        assert stats.ttest_ind(one, other, equal_var=False).pvalue > 1e-5
        assert stats.levene(one, other).pvalue > 1e-5
    largest = np.abs(left).max(axis=1), np.abs(right).max(axis=1)
    assert stats.ks_2samp(*largest).pvalue > 1e-5


def test_the_summary_is_the_population(summary, tuples) -> None:
    assert np.allclose(summary.means, tuples[:, :6].mean(axis=0), atol=1e-6)
    for place, code in enumerate(summary.codes, 6):
        assert np.array_equal(code.counts, np.bincount(tuples[:, place].astype(int)))
    duchi = Duchi(EPSILON, 6)
    exact = duchi.probabilities(tuples[:, :6]).mean(axis=0)
    average = summary.nearest @ summary.rounded / N
    assert np.allclose(average @ duchi.given_rounding, exact, atol=1e-7)


def test_harmony_on_mixed_tuples(summary, tuples) -> None:
    rng = np.random.default_rng(1)
    mixed = HarmonyMixed(EPSILON, 6, SIZES)
    truth = mixed.truth(tuples)
    direct = np.array([mixed.estimate(mixed.randomize(tuples, rng)) for _ in range(RUNS)]) - truth
    drawn = [
        draws.harmony_means(summary, EPSILON, D, RUNS, rng),
        draws.harmony_frequencies(summary, EPSILON, D, RUNS, rng),
    ]
    same(direct, np.hstack(drawn))


def test_hybrid_on_mixed_tuples(summary, tuples) -> None:
    rng = np.random.default_rng(2)
    direct = []
    for run in range(RUNS // 2):
        hybrid = Hybrid(EPSILON, 6, SIZES, N, seed=1000 * run)
        direct.append(hybrid.estimate(hybrid.randomize(tuples, rng)) - hybrid.truth(tuples))
    drawn = [
        draws.duchi_means(summary, EPSILON * 6 / D, RUNS, rng),
        draws.bassily_smith_frequencies(summary, EPSILON / D, RUNS, rng),
    ]
    same(np.array(direct), np.hstack(drawn))


def test_bassily_and_smith_where_rows_repeat_and_where_they_do_not(summary, tuples) -> None:
    """At epsilon 1 there are m = 900 to 1,900 rows: few kinds of them for 2 to 5 values."""
    rng = np.random.default_rng(6)
    chosen = [place for place, k in enumerate(SIZES) if k in (2, 4, 5, 27)]
    few = replace(summary, codes=tuple(summary.codes[place] for place in chosen))
    direct = []
    for run in range(RUNS // 2):
        errors = []
        for place in chosen:
            mechanism = BassilySmith(1.0, SIZES[place], N, seed=1000 * run + place)
            data = tuples[:, 6 + place].astype(int)
            sent = mechanism.randomize(data, rng)
            errors.append(mechanism.estimate(sent) - mechanism.truth(data))
        direct.append(np.concatenate(errors))
    same(np.array(direct), draws.bassily_smith_frequencies(few, 1.0, RUNS, rng))


@pytest.mark.parametrize("protocol", ["published", "text"])
def test_the_products_auto_on_the_same_people(summary, protocol) -> None:
    rng = np.random.default_rng(3)
    table = PEOPLE.table()
    experiment = Experiment(summary, PEOPLE.attributes, protocol, RUNS, seed=1)
    for panel in ("numeric", "categorical"):
        survey = experiment.survey(panel, EPSILON)
        place = [one.name for one in survey.attributes]
        direct = []
        for run in range(RUNS // 4):
            result = survey.estimate(survey.collect(table, seed=run))
            if panel == "numeric":
                half = [(one.high - one.low) / 2 for one in PEOPLE.attributes[:6]]
                low = [one.low for one in PEOPLE.attributes[:6]]
                means = np.array([result[name].mean for name in place[:6]])
                direct.append((means - low) / half - 1 - summary.means)
            else:
                names = [code.name for code in summary.codes]
                raw = np.concatenate([result[name].raw for name in names])
                direct.append(raw - np.concatenate([code.truth for code in summary.codes]))
        shares = np.array(survey.weights) / sum(survey.weights)
        mechanisms = survey.mechanisms[0]
        if panel == "numeric":
            drawn = draws.auto_means(mechanisms[:6], summary, shares[:6], RUNS, rng)
        else:
            drawn, _ = draws.auto_frequencies(mechanisms[-12:], summary, shares[-12:], RUNS, rng)
        same(np.array(direct), drawn)


def test_the_largest_of_independent_normals() -> None:
    """Monte Carlo with a standard error of 0.001; false alarms: 1e-6."""
    draws_of = np.abs(np.random.default_rng(4).standard_normal((200_000, 6))).max(axis=1)
    assert expected_largest(6) == pytest.approx(draws_of.mean(), abs=0.006)
