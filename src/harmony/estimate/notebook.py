"""How surveys, plans, estimates and models look in a notebook: small tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..html_table import html_table
from ..mechanisms.inclusion import inclusion_chances
from ..numerals import numerals
from .decimals import number_writer

if TYPE_CHECKING:
    from ..learn.model import Model
    from ..plan import Plan
    from ..survey import Survey
    from .base import Estimate
    from .compare import Comparison
    from .result import Result

SHOWN_VALUES = 24

_BAR = "background:#a9cde4;height:.7em;min-width:1px;width:{width:.1f}px"


def survey_html(survey: Survey) -> str:
    """Show a survey: its attributes, how often each is asked, and the variance of an answer."""
    rows = [
        [
            attribute.name,
            f"{len(attribute.values):,} values"
            if attribute.values
            else " .. ".join(numerals((attribute.low, attribute.high))),  # type: ignore[union-attr]  # no values: numeric
            f"{share:.0%}",
            f"{survey.mechanisms[0][place].reference_noise:.3g}",
        ]
        for place, (attribute, share) in enumerate(
            zip(survey.attributes, inclusion_chances(survey.weights, survey.answers), strict=True)
        )
    ]
    return html_table(repr(survey)[1:-1], ["attribute", "takes", ">asked", ">variance"], rows)


def estimate_rows(one: Estimate) -> list[list[str]]:
    """Return the rows of one estimate, with a bar for each frequency."""
    rows = one.shown(SHOWN_VALUES)
    write = number_writer(rows, shares=one.in_shares)
    return [
        [
            one.name if place == 0 else "",
            "mean" if row["value"] is None else str(row["value"]),
            write(row["estimate"]),
            f"{write(row['low'])} .. {write(row['high'])}",
            write(row["consistent"]),
            f"{one.n:,}" if place == 0 else "",
            _bar(one.in_shares and one.n > 0, row["consistent"]),
            "" if place or one.enough else one.verdict,
        ]
        for place, row in enumerate(rows)
    ]


def _bar(wanted: bool, share: float) -> str:
    return f'<div style="{_BAR.format(width=120 * share)}"></div>' if wanted else ""


HEADINGS = ("attribute", "value", ">estimate", ">95% interval", ">consistent", ">n", "<", "")


def estimates_html(title: str, estimates: Iterable[Estimate]) -> str:
    """Show estimates with their intervals."""
    shown = list(estimates)
    rows = [row for one in shown for row in estimate_rows(one)]
    cut = sum(one.left_out(SHOWN_VALUES) for one in shown)
    return html_table(title, HEADINGS, rows, f"{cut:,} rarer values in to_frame()" if cut else "")


def result_html(result: Result) -> str:
    """Show the estimates of a round."""
    return estimates_html(repr(result).splitlines()[0], result.estimates.values())


def comparison_html(comparison: Comparison) -> str:
    """Show the differences between two results."""
    from .compare import HEADINGS

    headings = [f">{one}" if 2 <= place <= 4 else one for place, one in enumerate(HEADINGS)]
    title = f"{comparison.after} against {comparison.before}"
    return html_table(title, headings, comparison.lines(SHOWN_VALUES))


def plan_html(plan: Plan) -> str:
    """Show a plan."""
    rows = [
        [
            one.attribute,
            f"{one.answers:,}",
            f"± {one.in_units:.2g}",
            f"{one.error:.2%}",
            f"± {one.worst_in_units:.2g}",
            *(
                f"± {error:.2g}"
                for each in plan.window[place : place + 1]
                for error in (each.in_units, each.worst_in_units)
            ),
        ]
        for place, one in enumerate(plan.errors)
    ]
    headings = ["attribute", ">answers", ">expected error", ">of the domain", ">at worst"]
    headings += [f">{heading}" for heading in plan.window_headings]
    title = repr(plan).splitlines()[0]
    return html_table(f"{title}; {plan.rotation}" if plan.every else title, headings, rows)


def model_html(model: Model) -> str:
    """Show a model: the weight of each feature, or of each of its values."""
    training, rows = model.training, [["(intercept)", "", f"{model.intercept:+.4g}"]]
    for feature in training.features:
        weights = model.weights[feature.name]
        if feature.values:
            named = zip(feature.values, weights, strict=True)
            rows += [[feature.name, str(value), f"{weight:+.4g}"] for value, weight in named]
        else:
            rows.append([feature.name, "scaled to -1 .. 1", f"{weights:+.4g}"])
    title = f"{training.name}: {training.label.name}, {training.loss} loss, epsilon "
    return html_table(f"{title}{training.epsilon:g}", ["feature", "value", ">weight"], rows)
