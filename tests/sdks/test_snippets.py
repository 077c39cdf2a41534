"""The Java code that the dashboard shows for a survey compiles and answers its round."""

from __future__ import annotations

import subprocess
from pathlib import Path

from harmony.service.dashboard.snippets import snippets
from tests.browser.site import started
from tests.java import sdk
from tests.service.test_snippets import SURVEY


def test_the_java_snippet_answers_the_round(tmp_path: Path) -> None:
    sdk.build()
    site = started(tmp_path)
    try:
        site.call("POST", "/v1/surveys", SURVEY.to_document())
        site.call("POST", "/v1/surveys/ugly/rounds", {"label": "1"})
        code = next(one.code for one in snippets(SURVEY, site.url) if one.language == "Java")
        (tmp_path / "Answer.java").write_text(code, encoding="utf-8")
        ran = subprocess.run(
            ["java", "-cp", str(sdk.BUILD / "classes"), "Answer.java"],
            cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        found = site.call("GET", "/v1/surveys/ugly/rounds/1/estimates")
        assert found["reports"] == 1, ran.stdout
    finally:
        site.server.stop()
