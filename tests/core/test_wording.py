"""Words for people travel with the survey, in any language, and cannot harm what carries them."""
# ruff: noqa: RUF001  people write with all the letters that there are

from __future__ import annotations

from typing import Any

import pytest

import harmony as hm
from harmony.wording import MOST_CHARACTERS
from harmony_device.survey import Survey as DeviceSurvey

QUESTIONS = [
    "How full is your battery?",
    "כמה שעות ישנת?",
    "夜はよく眠れましたか\u3000？",
    "می\u200cخواهید پاسخ دهید؟ 👩\u200d🔬",
    "<script>alert(1)</script> **bold** {{ 7 * 7 }}",
    "7" * MOST_CHARACTERS,
    "[" * MOST_CHARACTERS,
]
KINDS: list[dict[str, Any]] = [
    {"kind": "numeric", "low": 0, "high": 1},
    {"kind": "numeric", "low": 0, "high": 1, "bins": 4},
    {"kind": "categorical", "values": ["a", "b"]},
    {"kind": "boolean"},
    {"kind": "integer", "low": 0, "high": 3},
]


def asking(question: Any, kind: dict[str, Any] = KINDS[3]) -> dict[str, Any]:
    attribute = {"name": "one", **kind, "question": question}
    return {"name": "s", "epsilon": 1.0, "attributes": [attribute]}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_travels_and_devices_take_the_document(question: str) -> None:
    survey = hm.Survey.from_document(asking(question))
    assert survey.attributes[0].question == question
    again = hm.Survey.from_document(survey.to_document())
    assert again == survey
    assert again.attributes[0].question == question
    assert DeviceSurvey.from_json(survey.document_bytes).name == survey.name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["kind"])
def test_every_kind_may_have_a_question(kind: dict[str, Any]) -> None:
    survey = hm.Survey.from_document(asking("Why?", kind))
    assert survey.attributes[0].question == "Why?"
    assert eval(survey.to_code(), {"hm": hm}) == survey


def test_words_change_the_fingerprint_and_nothing_else() -> None:
    plain = hm.Survey("s", [hm.Boolean("a")], epsilon=1.0)
    asked = hm.Survey("s", [hm.Boolean("a", question="Well?")], epsilon=1.0)
    meant = hm.Survey("s", [hm.Boolean("a")], epsilon=1.0, purpose="To know.")
    assert len({plain.fingerprint, asked.fingerprint, meant.fingerprint}) == 3
    assert "question" not in plain.to_document()["attributes"][0]
    assert "purpose" not in plain.to_document()
    for other in (asked, meant):
        assert other.to_document()["tables"] == plain.to_document()["tables"]
        assert hm.Survey.from_document(other.to_document()) == other
        assert eval(other.to_code(), {"hm": hm}) == other


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "1 to 400 characters"),
        ("   ", "1 to 400 characters"),
        ("x" * 401, "1 to 400 characters"),
        (7, "1 to 400 characters"),
        (["Why?"], "1 to 400 characters"),
        ("half \ud800 pair", "half of a surrogate pair"),
        ("two\nlines", "one line"),
        ("two\u2028lines", "one line"),
        ("a bell \x07", "one line"),
        ("a null \x00", "one line"),
    ],
)
def test_unreadable_words_are_refused_by_name(words: Any, said: str) -> None:
    with pytest.raises(hm.SurveyError, match=f"one: 'question' .*{said}"):
        hm.Survey.from_document(asking(words))
    with pytest.raises(hm.SurveyError, match=f"'purpose' .*{said}"):
        hm.Survey("s", [hm.Boolean("a")], epsilon=1.0, purpose=words)


def test_a_feature_of_a_training_may_have_a_question() -> None:
    from harmony.learn import Training

    feature = hm.Numeric("age", 0, 100, question="How old are you?")
    training = Training("t", 1.0, "squared", hm.Numeric("y", 0, 1), [feature], devices=100)
    assert Training.from_document(training.to_document()) == training
