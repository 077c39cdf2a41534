"""`result.plot()`, `plan.plot()` and the frames: what an analyst takes away."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pandas as pd
import polars as pl
import pytest

import harmony as hm
from harmony import plots

UGLY = "$\\frac{1}{0}$ <b>& \u0645\u0631\u062d\u0628\u0627"


def result_of(attributes: list[Any], table: dict[str, Any]) -> Any:
    survey = hm.Survey("phones", attributes, epsilon=1.0)
    return survey.estimate(survey.collect(table, seed=7))


@pytest.fixture(scope="module")
def result() -> Any:
    people = hm.datasets.phones(5_000)
    makers = hm.Categorical("maker", hm.datasets.MAKERS)
    return result_of([hm.Numeric("battery", 0, 100), hm.Boolean("crashed"), makers], people)


def drawn(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def test_a_result_has_a_panel_for_each_attribute(result: Any) -> None:
    figure = result.plot(confidence=0.9)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["battery", "crashed", f"maker ({result['maker'].verdict})"]
    assert figure.axes[0].get_xlim() == (0, 100)
    assert [label.get_text() for label in figure.axes[1].get_yticklabels()] == ["False", "True"]
    assert "90% intervals" in figure.get_suptitle()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_plots_need_no_pyplot_and_leave_none_behind() -> None:
    code = (
        "import sys, harmony as hm; s = hm.Survey('a', [hm.Boolean('b')], 1.0)\n"
        "s.plan(devices=10).plot()._repr_png_(); print('matplotlib.pyplot' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_of_many_values_the_most_frequent_are_drawn_and_the_title_says_so() -> None:
    values = [f"v{number}" for number in range(500)]
    one = result_of([hm.Categorical("model", values)], {"model": ["v7"] * 3000 + ["v1"] * 2000})
    (axes,) = one.plot().axes
    assert axes.get_title(loc="left") == "model (the 40 most frequent of 500 values)"
    assert axes.get_yticklabels()[0].get_text() == "v7"


def test_names_are_text_whatever_they_hold() -> None:
    one = result_of([hm.Categorical(UGLY, [UGLY, "$x$"])], {UGLY: [UGLY] * 20})
    assert b"<svg" in drawn(one.plot())


def test_too_few_reports_are_said_so() -> None:
    one = result_of([hm.Numeric("battery", 0, 100)], {"battery": [50.0]})
    (axes,) = one.plot().axes
    assert axes.get_title(loc="left") == "battery (too few reports to say)"


def test_attributes_with_equal_errors_share_a_line_of_the_plan() -> None:
    wanted = [hm.Boolean(f"b{number}") for number in range(5)]
    plan = hm.Survey("phones", wanted, epsilon=1.0).plan(devices=10_000)
    (axes,) = plan.plot().axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["b0, b1, b2 and 2 more"]
    uneven = [hm.Boolean("often", weight=9), hm.Boolean("seldom")]
    plan = hm.Survey("phones", uneven, epsilon=1.0).plan(devices=10_000)
    assert len(plan.plot().axes[0].get_legend().get_texts()) == 2


def test_frames_hold_every_row(result: Any) -> None:
    frame, polars = result.to_frame(), result.to_polars()
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert len(frame) == len(polars) == 1 + 2 + 16
    assert list(frame) == polars.columns
    assert frame["value"].tolist()[:3] == [None, False, True]
    assert polars["value"].to_list()[:3] == [None, "False", "True"]
    assert polars["estimate"].to_list() == frame["estimate"].tolist()


def test_plans_become_frames_too() -> None:
    plan = hm.Survey("phones", [hm.Boolean("wifi")], 1.0).plan(devices=100)
    assert plan.to_frame()["attribute"].tolist() == plan.to_polars()["attribute"].to_list()


def test_without_the_libraries_the_error_names_the_extra(
    result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pandas", "polars", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    plots._picture.cache_clear()
    for call, extra in ((result.to_frame, "frames"), (result.to_polars, "frames"),
                        (result.plot, "plot")):  # fmt: skip
        with pytest.raises(hm.HarmonyError, match=rf"pip install 'harmony-ldp\[{extra}\]'"):
            call()
    plots._picture.cache_clear()
