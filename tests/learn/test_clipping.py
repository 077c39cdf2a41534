"""Residuals are clipped where noise does least."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harmony.learn.clipping import KEPT_NORMAL, NORMAL, Clip


def noise(clip: Clip) -> float:
    """The variance of an answer, once the clip is undone, in that of the residuals."""
    return (clip.deviations / clip.kept) ** 2


def test_normal_residuals_are_clipped_at_half_a_deviation() -> None:
    clip = Clip.of(3 + 7 * NORMAL)
    assert clip.deviations == 0.5
    assert clip.kept == pytest.approx(math.erf(0.5 * math.sqrt(0.5)), abs=0.01)
    assert noise(clip) < 0.85 * noise(Clip())


@pytest.mark.parametrize(
    "labels",
    [np.array([-1.0, 1.0]), np.linspace(0, 1, 99), np.r_[np.full(50, -2.0), np.linspace(0, 2, 50)]],
    ids=["two values", "even", "two sides"],
)
def test_residuals_that_are_not_near_zero_are_clipped_at_a_deviation(labels: np.ndarray) -> None:
    clip = Clip.of(labels)
    assert (clip.deviations, clip.kept) == (1.0, KEPT_NORMAL)


def test_the_more_answers_the_farther_skewed_labels_are_clipped() -> None:
    claims = np.append(np.zeros(850), np.random.default_rng(3).lognormal(0, 0.6, 150))
    clips = [Clip.of(claims, noise=noise) for noise in (1.0, 0.03, 0.003)]
    assert [clip.deviations for clip in clips] == sorted(clip.deviations for clip in clips)
    assert clips[0].deviations <= 1.0 < clips[-1].deviations
    assert clips[0].kept <= clips[-1].kept <= 1.0
    assert Clip.of(NORMAL, noise=1e-6).deviations == 0.5


def test_nothing_is_known_of_residuals_once_most_is_explained() -> None:
    assert Clip.of(NORMAL, left=0.6).deviations == 0.5
    assert Clip.of(NORMAL, left=0.4) == Clip()


def test_labels_that_are_all_the_same_have_a_clip() -> None:
    clip = Clip.of(np.zeros(10))
    assert math.isfinite(clip.kept)
    assert clip.kept > 0
