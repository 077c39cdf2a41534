"""Lines: how far to go along a direction, by the slope of the residuals on it."""

from __future__ import annotations

import math

from .allocation import Clips
from .shrinkage import posterior_mean
from .trainer import Estimates, QuestionEstimate


def slope_along(estimates: Estimates, std: float, clips: Clips) -> tuple[float, float, float]:
    """Return the slope of the residual on the direction, its error, and the direction's deviation.

    The direction clipped at `near` is an instrument for the direction itself: both means hold
    it, so their ratio is the slope.  Correlated features widen the direction from the `std`
    that independent ones would give it, or narrow it.
    """
    measured_std = width_of(estimates["direction x direction"], clips.far, std)
    product = estimates["residual x direction"]
    unit = clips.residual / clips.attenuation / measured_std
    return product.mean * unit, math.sqrt(product.variance[0]) * unit, measured_std


def width_of(square: QuestionEstimate, scale: float, std: float) -> float:
    """Return how wide a direction is, of which devices have told, and which was thought to be."""
    return max(posterior_of(square, scale, std, std / 3), std / 4)


def posterior_of(
    estimate: QuestionEstimate, scale: float, prior_mean: float, prior_std: float
) -> float:
    """Return the posterior mean of what devices have told, in units of `scale`."""
    error = math.sqrt(estimate.variance[0]) * scale
    return posterior_mean(estimate.mean * scale, error, prior_mean, prior_std)
