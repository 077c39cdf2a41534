"""The code that an empty round shows works as it stands, for surveys of any names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import harmony as hm
from harmony.service.dashboard.snippets import snippets
from tests.browser.site import started

SURVEY = hm.Survey(
    "ugly",
    [
        hm.Numeric('battery "full" \\ %', 0, 100),
        hm.Categorical("theme {x}", ["it's", "b"]),
        hm.Boolean("wifi\u2028on"),
        hm.Crosstab(hm.Boolean("a", reads="wifi\u2028on"), hm.Boolean("d")),
    ],
    epsilon=2.0,
)


def test_the_python_snippet_answers_the_round(tmp_path: Path) -> None:
    site = started(tmp_path)
    try:
        site.call("POST", "/v1/surveys", SURVEY.to_document())
        site.call("POST", "/v1/surveys/ugly/rounds", {"label": "1"})
        code = snippets(SURVEY, site.url)[0].code
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        found = site.call("GET", "/v1/surveys/ugly/rounds/1/estimates")
        assert found["reports"] == 1, ran.stdout
    finally:
        site.server.stop()
