"""In a notebook, what the package returns shows itself as small tables."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import harmony as hm
from harmony.learn import Model, Score, Training

SURVEY = hm.Survey(
    "phones",
    [hm.Numeric("battery <1>", 0, 100), hm.Categorical("theme", ["light", "dark & dim"])],
    epsilon=1.0,
    mechanism="harmony",
)
TALLY = SURVEY.collect(
    {"battery <1>": [50.0] * 400, "theme": ["light", "dark & dim"] * 200}, seed=7
)
RESULT = SURVEY.estimate(TALLY)
TRAINING = Training("wifi", 1.0, "logistic", hm.Boolean("wifi"), SURVEY.attributes, devices=1000)
MODEL = Model(TRAINING, Score.constant(TRAINING.features, 0.5))


class Tags(HTMLParser):
    """Notes tags that are opened and closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (SURVEY, "battery &lt;1&gt;"),
        (TALLY, "400"),
        (RESULT, "dark &amp; dim"),
        (RESULT["battery <1>"], "95% interval"),
        (RESULT["theme"], "light"),
        (SURVEY.plan(devices=1000), "expected error"),
        (MODEL, "dark &amp; dim"),
    ],
)
def test_it_shows_itself_as_a_table_with_nothing_loaded(shown: object, says: str) -> None:
    html = shown._repr_html_()  # type: ignore[attr-defined]
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert says in html
    assert "<1>" not in html
    assert not re.search(r"https?:|<script|src=|href=", html)


def test_a_long_histogram_is_cut_and_says_so() -> None:
    survey = hm.Survey("many", [hm.Integer("age", 0, 99)], epsilon=1.0, mechanism="harmony")
    result = survey.estimate(survey.collect({"age": list(range(100)) * 5}, seed=1))
    assert "76 rarer values" in result._repr_html_()
