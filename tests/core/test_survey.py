"""Surveys: built, written, read back; whatever is wrong is named with its field."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harmony as hm
from harmony.mechanisms.audit import log_ceiling

BATTERY = hm.Numeric("battery", 0, 100)
THEME = hm.Categorical("theme", ["light", "dark", "auto"])


def phones(**options: Any) -> hm.Survey:
    return hm.Survey("phones", [BATTERY, THEME], **({"epsilon": 1.0} | options))


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".yml"])
@pytest.mark.parametrize(
    "options",
    [{}, {"mechanism": "harmony"}, {"epsilon": None, "tiers": [0.5, 2.0]}, {"answers": 2}],
)
def test_a_survey_reads_back_as_it_was_written(tmp_path: Path, suffix: str, options: dict) -> None:
    survey = phones(**options)
    path = tmp_path / f"survey{suffix}"
    survey.save(path)
    again = hm.Survey.load(path)
    assert again == survey
    assert again.fingerprint == survey.fingerprint
    assert again.to_document() == survey.to_document()


def test_a_definition_without_tables_builds_the_same_survey(tmp_path: Path) -> None:
    survey = phones()
    survey.save(tmp_path / "survey.yaml", tables=False)
    assert "tables" not in (tmp_path / "survey.yaml").read_text()
    assert hm.Survey.load(tmp_path / "survey.yaml") == survey


def test_a_person_can_write_a_survey_by_hand(tmp_path: Path) -> None:
    (tmp_path / "survey.yaml").write_text(
        """
name: phones
epsilon: 1
attributes:
  - {name: battery, kind: numeric, low: 0, high: 100, weight: 3}
  - {name: theme, kind: categorical, values: [light, dark, auto], missing: auto}
  - {name: wifi, kind: boolean}
  - {name: sims, kind: integer, low: 0, high: 2}
  - {name: age, kind: numeric, low: 0, high: 90, bins: 3}
"""
    )
    survey = hm.Survey.load(tmp_path / "survey.yaml")
    assert [one.weight for one in survey.attributes] == [3, 1, 1, 1, 1]
    assert [len(one.values) for one in survey.attributes] == [0, 3, 2, 3, 3]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: hm.Survey("", [BATTERY], 1.0), "'name'"),
        (lambda: hm.Survey("a b", [BATTERY], 1.0), "'name'"),
        (lambda: hm.Survey("s", [], 1.0), "'attributes'"),
        (lambda: hm.Survey("s", ["battery"], 1.0), "'attributes'"),
        (lambda: hm.Survey("s", "battery", 1.0), "'attributes'"),
        (lambda: hm.Survey("s", [BATTERY, BATTERY], 1.0), "two attributes are called 'battery'"),
        (lambda: hm.Survey("s", [BATTERY]), "'epsilon' or 'tiers'"),
        (lambda: hm.Survey("s", [BATTERY], 1.0, tiers=[1.0]), "'epsilon' or 'tiers'"),
        (lambda: hm.Survey("s", [BATTERY], 0), "'epsilon' must lie between"),
        (lambda: hm.Survey("s", [BATTERY], -1), "'epsilon' must lie between"),
        (lambda: hm.Survey("s", [BATTERY], 1000), "'epsilon' must lie between"),
        (lambda: hm.Survey("s", [BATTERY], float("nan")), "'epsilon' must lie between"),
        (lambda: hm.Survey("s", [BATTERY], "1"), "'epsilon' must be a number"),
        (lambda: hm.Survey("s", [BATTERY], True), "'epsilon' must be a number"),
        (lambda: hm.Survey("s", [BATTERY], tiers=[]), "'tiers'"),
        (lambda: hm.Survey("s", [BATTERY], tiers=[1.0, 1.0]), "same epsilon twice"),
        (lambda: hm.Survey("s", [BATTERY], 1.0, mechanism="best"), "'mechanism'"),
        (lambda: hm.Survey("s", [BATTERY], 1.0, answers=2), "'answers'"),
        (lambda: hm.Survey("s", [BATTERY], 1.0, answers=0), "'answers'"),
        (lambda: hm.Numeric("x", 1, 1), "x: 'low' must be below 'high'"),
        (lambda: hm.Numeric("x", 0, float("inf")), "x: 'high' must be finite"),
        (lambda: hm.Numeric("x", "0", 1), "x: 'low' must be a number"),
        (lambda: hm.Numeric("x", -1e308, 1e308), "x: 'high' - 'low' is too large"),
        (lambda: hm.Numeric("", 0, 1), "'name'"),
        (lambda: hm.Numeric("x", 0, 1, weight=0), "x: 'weight'"),
        (lambda: hm.Numeric("x", 0, 1, missing=2), "x: 'missing'"),
        (lambda: hm.Numeric("x", 0, 1, bins=1), "x: 'bins'"),
        (lambda: hm.Numeric("x", 0, 1, bins=[0, 1]), "x: 'bins'"),
        (lambda: hm.Numeric("x", 0, 1, bins=[0, 0.5, 0.5, 1]), "x: 'bins'"),
        (lambda: hm.Numeric("x", 0, 1, bins=[0, 0.5, 2]), "x: 'bins' must start at"),
        (lambda: hm.Numeric("x", 0, 1, bins="ab"), "x: 'bins'"),
        (lambda: hm.Categorical("x", ["only"]), "x: 'values' must list at least two"),
        (lambda: hm.Categorical("x", []), "x: 'values' must list at least two"),
        (lambda: hm.Categorical("x", "ab"), "x: 'values' must be a list"),
        (lambda: hm.Categorical("x", ["a", "a"]), "x: 'values' lists the same value twice"),
        (lambda: hm.Categorical("x", ["a", 1]), "x: 'values' must be all text"),
        (lambda: hm.Categorical("x", [0.5, 1.5]), "x: 'values' must be all text"),
        (lambda: hm.Categorical("x", [True, 1]), "x: 'values' must be all text"),
        (lambda: hm.Categorical("x", ["a", "b"], missing="c"), "x: 'missing' must be one of"),
        (lambda: hm.Categorical("x", range(2**20 + 1)), "x: 'values' may list at most"),
        (lambda: hm.Integer("x", 0, 0.5), "x: 'high' must be an integer"),
        (lambda: hm.Integer("x", 3, 3), "x: 'values' must list at least two"),
        (lambda: hm.Round("", bytes(16)), "'label'"),
        (lambda: hm.Round("1", bytes(15)), "'seed'"),
    ],
)
def test_a_wrong_survey_is_refused_with_the_field_named(wrong: Any, said: str) -> None:
    with pytest.raises(hm.SurveyError, match=said):
        wrong()


def test_numpy_numbers_and_arrays_are_welcome() -> None:
    attribute = hm.Categorical("x", np.unique(["b", "a"]))
    assert attribute.values == ("a", "b")
    assert type(attribute.values[0]) is str
    assert hm.Numeric("x", np.int64(0), np.float32(2), bins=np.array([0, 1, 2])).edges == (0, 1, 2)


def broken(change: Any) -> dict:
    document = json.loads(json.dumps(phones().to_document()))
    change(document)
    return document


def lower(document: dict) -> None:
    counts = document["tables"][1]["counts"]
    counts[0], counts[1] = counts[0] + counts[1] // 100, counts[1] - counts[1] // 100


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lower, hm.PrivacyError, r"attributes\[1\].mechanisms\[0\]: .* times likelier"),
        (lambda d: d.update(epsilon=0.9), hm.PrivacyError, "times likelier"),
        (lambda d: d.update(answers=2), hm.PrivacyError, "times likelier"),
        (lambda d: d["tables"][1]["counts"].pop(), hm.SurveyError, r"tables\[1\]: .*sum to"),
        (lambda d: d.update(tables=None), hm.SurveyError, "'tables' must be a list"),
        (lambda d: d.pop("answers"), hm.SurveyError, "'answers'"),
        (lambda d: d.update(format="harmony-survey/9"), hm.SurveyError, "'format'"),
        (lambda d: d.update(colour="red"), hm.SurveyError, "unknown field 'colour'"),
        (lambda d: d.pop("name"), hm.SurveyError, "'name' is missing"),
        (lambda d: d.update(attributes={}), hm.SurveyError, "'attributes' must be a list"),
        (
            lambda d: d["attributes"][0].pop("low"),
            hm.SurveyError,
            r"attributes\[0\]: 'low' is missing",
        ),
        (
            lambda d: d["attributes"][0].update(kind="prose"),
            hm.SurveyError,
            r"attributes\[0\]: 'kind'",
        ),
        (lambda d: d["attributes"][0].update(step=1), hm.SurveyError, "unknown field 'step'"),
        (lambda d: d["attributes"][0].update(mechanisms=[]), hm.SurveyError, "one for each tier"),
        (lambda d: d["attributes"][0]["mechanisms"][0].update(table=7), hm.SurveyError, "'table'"),
        (
            lambda d: d["attributes"][0]["mechanisms"][0].update(points=3),
            hm.SurveyError,
            "'points'",
        ),
        (
            lambda d: d["attributes"][0]["mechanisms"][0]["outputs"].pop(),
            hm.SurveyError,
            "'outputs'",
        ),
        (
            lambda d: d["attributes"][0]["mechanisms"][0].update(outputs=[0.5] * 17),
            hm.SurveyError,
            "'outputs'",
        ),
        (
            lambda d: d["attributes"][0]["mechanisms"][0].update(code="linear"),
            hm.SurveyError,
            "'code'",
        ),
        (lambda d: d["attributes"][1]["mechanisms"][0].update(base=2), hm.SurveyError, "'base'"),
        (
            lambda d: d["attributes"][1]["mechanisms"][0].update(multipliers=[0]),
            hm.SurveyError,
            "'multipliers'",
        ),
        (
            lambda d: d["attributes"][1]["mechanisms"][0].update(digits="2"),
            hm.SurveyError,
            "'digits'",
        ),
    ],
)
def test_a_document_that_breaks_its_promise_cannot_be_loaded(
    change: Any, error: type, said: str
) -> None:
    with pytest.raises(error, match=said):
        hm.Survey.from_document(broken(change))


@settings(max_examples=200)
@given(st.data())
def test_a_mangled_document_raises_only_survey_errors(data: st.DataObject) -> None:
    """Replace any one node of a document by junk: it loads or it is refused, nothing else."""
    document = broken(lambda document: None)
    node: Any = document
    while True:
        keys = list(node.keys()) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        child = node[key]
        if isinstance(child, dict | list) and child and data.draw(st.booleans()):
            node = child
            continue
        node[key] = data.draw(
            st.sampled_from(
                [None, -1, 0, 2**53, 1.5, "x", [], {}, [[1]], True, float("nan"), 10**30]
            )
        )
        break
    with contextlib.suppress(hm.SurveyError):
        hm.Survey.from_document(document)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("s.json", "{", "line 1: is not valid JSON"),
        ("s.yaml", "a: [", "is not valid YAML"),
        ("s.json", "[]", "must be a mapping"),
        ("s.txt", "", "must end in .json, .yaml or .yml"),
        ("s.json", b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_survey_is_refused(
    tmp_path: Path, name: str, content: Any, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(hm.SurveyError, match=said):
        hm.Survey.load(path)
    with pytest.raises(hm.SurveyError, match="cannot be read"):
        hm.Survey.load(tmp_path / "absent.json")


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.1, 0.5, 1, 2, 4, 8])
@pytest.mark.parametrize("mechanism", ["auto", "harmony"])
def test_the_audit_never_exceeds_epsilon(epsilon: float, mechanism: str) -> None:
    attributes = [BATTERY] + [hm.Integer(f"k{k}", 0, k - 1) for k in (2, 3, 5, 16, 64, 1000)]
    survey = hm.Survey("s", attributes, epsilon, mechanism=mechanism)
    audit = hm.audit(survey)
    assert epsilon * (1 - 1e-6) <= audit.epsilon <= epsilon
    assert len(audit.tables) == len(attributes)
    assert all(one.epsilon <= one.promised for one in audit.tables)


def test_the_audit_multiplies_over_the_answers_of_a_report() -> None:
    survey = phones(epsilon=3.0, answers=2)
    each = [log_ceiling(one.table.worst_ratio()) for one in survey.mechanisms[0]]
    assert all(one <= 1.5 for one in each)
    assert hm.audit(survey).epsilon == pytest.approx(sum(each))
    assert hm.audit(survey).epsilon <= 3.0


def test_more_answers_are_chosen_only_where_they_help() -> None:
    settings = [hm.Boolean(f"setting{place}") for place in range(12)]
    answers = [hm.Survey("s", settings, epsilon).answers for epsilon in (0.5, 1, 2, 4, 8, 16)]
    assert answers == sorted(answers)
    assert answers[0] == 1
    assert answers[-1] > 3
    assert hm.Survey("s", settings, 8, mechanism="harmony").answers == 1
    chosen = hm.Survey("s", settings, 8)
    worst = {
        count: max(
            one.error for one in hm.Survey("s", settings, 8, answers=count).plan(1000).errors
        )
        for count in range(1, 9)
    }
    assert min(worst, key=worst.__getitem__) == chosen.answers


def test_weights_send_more_devices_to_an_attribute() -> None:
    survey = hm.Survey("s", [hm.Boolean("a", weight=3), hm.Boolean("b")], 1.0)
    n = 40_000
    tally = survey.collect({"a": np.ones(n, bool), "b": np.ones(n, bool)}, seed=1)
    assert tally.cells[0][0].sum() / n == pytest.approx(0.75, abs=0.011)  # five sigma


def test_balanced_attributes_are_estimated_equally_well() -> None:
    asked = [hm.Boolean("b"), hm.Integer("k", 0, 40), hm.Numeric("x", -1, 1), hm.Integer("l", 0, 4)]
    variances = {}
    for balance in (True, False):
        survey = hm.Survey("s", asked, 0.5, balance=balance)
        shares = np.array(survey.weights) / sum(survey.weights)
        variances[balance] = [
            one.expected_variance(0.25) / share / (2 if one.code.kind == "grid" else 1) ** 2
            for one, share in zip(survey.mechanisms[0], shares, strict=True)
        ]
    assert max(variances[True]) < 1.05 * min(variances[True]) < 0.8 * max(variances[False])
    assert sum(variances[True]) == pytest.approx(sum(variances[False]), rel=0.02)
    assert hm.Survey("s", asked, 0.5, mechanism="harmony").weights == [1, 1, 1, 1]


def test_a_survey_read_back_keeps_its_coin_and_its_definition() -> None:
    survey = hm.Survey("s", [hm.Boolean("b", weight=2), hm.Integer("k", 0, 9)], 1.0)
    again = hm.Survey.from_document(survey.to_document())
    assert again.weights == survey.weights != [2, 1]
    assert again.definition() == survey.definition()
    assert hm.Survey.from_document(again.definition()) == survey


def test_surveys_are_equal_only_with_equal_tables() -> None:
    assert phones() == phones()
    assert hash(phones()) == hash(phones())
    assert phones() != phones(epsilon=2.0)
    assert phones() != "phones"
