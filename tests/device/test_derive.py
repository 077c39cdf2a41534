"""What a step computes from a record, at the edges: each case by hand from docs/protocol.md."""

from __future__ import annotations

from typing import Any

import pytest

from harmony_device import RefusedError
from harmony_device.step import Step

from .steps import step_document

GRID = {"code": "grid", "points": 2, "outputs": [-1.9, 1.9], "table": 0}
NUMBER = {"kind": "numeric", "low": -1, "high": 1}
FEATURES = [
    {"name": "x", "kind": "numeric", "low": 10, "high": 30},
    {"name": "c", "kind": "categorical", "values": ["a", "b", "c", "d"]},
]
LABEL = {"name": "y", "kind": "numeric", "low": -1, "high": 1}
GRADIENT_OF_X = {"is": "gradient", "feature": "x", "clip": 1.0, "middle": 0.0, "reach": 1.0}
MODEL = {"intercept": 0.0, "weights": {"x": 1.0, "c": [0.0, 0.0, 0.0, 0.0]}}


def categorical(values: int, kind: str = "categorical") -> dict[str, Any]:
    """Return an attribute of so many values."""
    return {"kind": kind, "values": list(range(values))}


def step_of(attribute: dict[str, Any], how: Any, **changes: Any) -> Step:
    """Return a step with one attribute, which is derived in one way."""
    mechanism: dict[str, Any] = dict(GRID)
    if attribute["kind"] != "numeric":
        digits = max(1, (len(attribute["values"]) - 1).bit_length())
        mechanism = {"code": "linear", "base": 2, "digits": digits, "multipliers": [1], "table": 1}
        if attribute["kind"] == "signed":
            mechanism |= {"signed": True, "digits": digits + 1}
    document = step_document(features=FEATURES, label=LABEL, model=MODEL, derive={"it": how})
    asked = {**attribute, "name": "it", "coin": 1, "mechanisms": [mechanism]}
    document["survey"]["attributes"] = [asked]
    document.pop("direction")
    return Step({**document, **changes})


def answer(step: Step, chance: float = 0.0, **record: Any) -> float | None:
    """Return a record's answer, with a random word of this chance."""
    word = int(chance * 2**53) << 11
    (found,) = step.read(record, lambda count: word.to_bytes(count, "little"))
    return found


@pytest.mark.parametrize(
    ("label", "answers"), [(-0.5, [0, 2, 2, 4]), (0.0, [0, 2, 2, 4]), (0.5, [1, 3, 3, 5])]
)
def test_a_curve_counts_the_edges_up_to_the_score_and_a_positive_label(
    label: float, answers: list[int]
) -> None:
    """The score of x is -1, 0, 0.25 and 0.5: an edge that is the score counts."""
    step = step_of(categorical(6), {"is": "curve", "edges": [0.0, 0.5]})
    assert [answer(step, x=x, y=label) for x in (10, 20, 22.5, 25)] == answers


@pytest.mark.parametrize(
    ("label", "answers"), [(0.5, [0, 1, 1, 2]), (0.0, [4, 5, 5, 6]), (-0.5, [4, 5, 5, 6])]
)
def test_a_surplus_is_the_bin_and_the_sign_of_the_label(label: float, answers: list[int]) -> None:
    step = step_of(categorical(3, "signed"), {"is": "surplus", "edges": [0.0, 0.5]})
    assert [answer(step, x=x, y=label) for x in (10, 20, 22.5, 25)] == answers


@pytest.mark.parametrize("edges", [[], None, 7, {"0": 1}, [0.0, 0.0], [1.0, 0.5], ["0"], [None]])
def test_edges_are_numbers_in_rising_order(edges: Any) -> None:
    for kind, attribute in (("curve", categorical(4)), ("surplus", categorical(2, "signed"))):
        with pytest.raises(RefusedError, match="'edges'"):
            step_of(attribute, {"is": kind, "edges": edges})


def test_a_curve_has_65536_edges_at_most() -> None:
    for count in (1 << 16, (1 << 16) + 1):
        how = {"is": "curve", "edges": list(range(count))}
        if count == 1 << 16:
            assert answer(step_of(categorical(2 * count + 2), how), x=20, y=1) == 3
        else:
            with pytest.raises(RefusedError, match="'edges' must list 1 to 65536 numbers"):
                step_of(categorical(2 * count + 2), how)


@pytest.mark.parametrize("values", [5, 7])
def test_a_curve_needs_two_values_for_each_bin(values: int) -> None:
    with pytest.raises(RefusedError, match="must be category, of 6 values"):
        step_of(categorical(values), {"is": "curve", "edges": [0.0, 0.5]})


@pytest.mark.parametrize("values", [2, 4])
def test_a_surplus_needs_a_level_for_each_bin(values: int) -> None:
    with pytest.raises(RefusedError, match="must be signed, of 3 values"):
        step_of(categorical(values, "signed"), {"is": "surplus", "edges": [0.0, 0.5]})


@pytest.mark.parametrize(
    ("of", "clip"),
    [
        (None, [1.0]),
        ("label", [1.0]),
        ([], []),
        (["label"] * 9, [1.0] * 9),
        (["record"], [1.0]),
        (["label"], 1.0),
        (["label"], None),
        (["label"], {"0": 1.0}),
        (["label"], []),
        (["label"], [1.0, 1.0]),
        (["label"], [0.0]),
        (["label"], [-1.0]),
        (["label"], ["1"]),
    ],
)
def test_a_product_has_one_to_eight_terms_with_a_clip_each(of: Any, clip: Any) -> None:
    with pytest.raises(RefusedError, match=r"'of'|'clip'"):
        step_of(NUMBER, {"is": "product", "of": of, "clip": clip})


def test_a_product_of_eight_terms_is_their_product() -> None:
    step = step_of(NUMBER, {"is": "product", "of": ["label"] * 8, "clip": [1.0] * 8})
    assert answer(step, x=20, y=0.5) == 0.5**8


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("label", 0.75 / 4),
        ("score", 0.25 / 4),
        ("residual", 0.5 / 4),
        ("relative", 0.5 / 1.25 / 4),
        ("direction", -0.5 / 4),
    ],
)
def test_each_term_is_what_its_name_says(term: str, expected: float) -> None:
    direction = {"intercept": -0.75, "weights": MODEL["weights"]}
    how = {"is": "product", "of": [term], "clip": [4.0]}
    assert answer(step_of(NUMBER, how, direction=direction), x=22.5, y=0.75) == expected


def test_without_a_direction_it_is_the_model() -> None:
    how = {"is": "product", "of": ["direction"], "clip": [1.0]}
    assert answer(step_of(NUMBER, how), x=22.5, y=0.75) == 0.25


@pytest.mark.parametrize(("score", "expected"), [(1e308, -1.0), (-1e308, 1.0)])
def test_the_relative_residual_of_an_enormous_score_is_one(score: float, expected: float) -> None:
    how = {"is": "product", "of": ["relative"], "clip": [0.5]}
    infinite = {"intercept": score, "weights": {**MODEL["weights"], "x": score}}
    assert answer(step_of(NUMBER, how, model=infinite), x=30, y=0) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"x": 30}, 0.5 * 1.0),  # (1 - 0.2) / 0.25 is clipped
        ({"x": 22.5}, 0.5 * 0.2),
        ({"x": 10}, -0.5),
        ({"x": 99}, 0.5),
        ({}, 0.5 * -0.8),  # a number that it lacks is 0
        ({"x": "high"}, 0.5 * -0.8),
    ],
)
def test_the_gradient_of_a_number(record: dict[str, Any], expected: float) -> None:
    how = {"is": "gradient", "feature": "x", "of": "label", "clip": 2.0,
           "middle": 0.2, "reach": 0.25}  # fmt: skip
    assert answer(step_of(NUMBER, how), y=1, **record) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("label", "chance", "expected"),
    [
        (1.0, 0.0, 2),
        (1.0, 0.749, 2),  # (1 + 1 / 2) / 2 = 0.75
        (1.0, 0.75, 6),
        (-1.0, 0.249, 2),
        (-1.0, 0.25, 6),
        (0.0, 0.499, 2),
        (0.0, 0.5, 6),
    ],
)
def test_the_gradient_of_a_level_has_a_sign_by_chance(
    label: float, chance: float, expected: int
) -> None:
    how = {"is": "gradient", "feature": "c", "of": "label", "clip": 2.0}
    assert answer(step_of(categorical(4, "signed"), how), chance, y=label, c="c") == expected


@pytest.mark.parametrize("record", [{}, {"c": None}, {"c": "unlisted"}, {"c": 7}])
@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
def test_the_gradient_of_a_level_that_is_lacking_is_drawn(
    record: dict[str, Any], chance: float
) -> None:
    how = {"is": "gradient", "feature": "c", "of": "label", "clip": 2.0}
    assert answer(step_of(categorical(4, "signed"), how), chance, y=1, **record) is None


@pytest.mark.parametrize(
    ("attribute", "how", "expected"),
    [
        (NUMBER, {"is": "label"}, None),
        (NUMBER, {"is": "product", "of": ["score", "label"], "clip": [1, 1]}, None),
        (NUMBER, {"is": "product", "of": ["residual"], "clip": [1]}, None),
        (NUMBER, {"is": "product", "of": ["relative"], "clip": [1]}, None),
        (NUMBER, {"is": "product", "of": ["score", "direction"], "clip": [1, 1]}, 0.0625),
        (categorical(4), {"is": "curve", "edges": [0.0]}, None),
        (categorical(2, "signed"), {"is": "surplus", "edges": [0.0]}, None),
        (
            categorical(4, "signed"),
            {"is": "gradient", "feature": "c", "of": "label", "clip": 1},
            None,
        ),
        (categorical(4, "signed"), {"is": "gradient", "feature": "c", "of": "score", "clip": 1}, 1),
        (NUMBER, GRADIENT_OF_X | {"of": "residual"}, None),
        (NUMBER, GRADIENT_OF_X | {"of": "score"}, 0.0625),
        (categorical(4), {"is": "feature", "feature": "c"}, 1),
        (NUMBER, {"is": "feature", "feature": "x"}, 1.0),  # 22.5, clipped to [-1, 1]
    ],
)
@pytest.mark.parametrize("label", [None, "high", float("nan"), True])
def test_what_needs_a_label_that_is_lacking_is_drawn_and_nothing_else_is(
    attribute: dict[str, Any], how: dict[str, Any], expected: float | None, label: object
) -> None:
    assert answer(step_of(attribute, how), x=22.5, c="b", y=label) == expected


def test_a_label_that_is_lacking_is_what_stands_for_it() -> None:
    label = {**LABEL, "missing": 0.25}
    assert answer(step_of(NUMBER, {"is": "label"}, label=label), x=20) == 0.25
    two = {"name": "y", "kind": "categorical", "values": ["no", "yes", ], "unlisted": "no",
           "missing": "yes"}  # fmt: skip
    step = step_of(NUMBER, {"is": "label"}, label=two)
    assert [answer(step, x=20, y=value) for value in ("no", "yes", "maybe", 7)] == [-1, 1, -1, 1]


@pytest.mark.parametrize(
    ("record", "chance", "expected"),
    [
        ({"c": "a"}, 0.9, 0),
        ({"c": "d"}, 0.1, 3),
        ({}, 0.0, None),
        ({}, 0.9999, None),
        ({"c": "unlisted"}, 0.25, None),
    ],
)
def test_a_feature_with_values_is_its_level_or_drawn(
    record: dict[str, Any], chance: float, expected: int | None
) -> None:
    step = step_of(categorical(4), {"is": "feature", "feature": "c"})
    assert answer(step, chance, y=0, **record) == expected


@pytest.mark.parametrize(
    ("record", "expected"), [({"x": 10}, 10), ({"x": 25}, 25), ({}, 20), ({"x": 99}, 30)]
)
def test_a_feature_without_values_is_the_number_itself(
    record: dict[str, Any], expected: float
) -> None:
    attribute = {"kind": "numeric", "low": 10, "high": 30}
    step = step_of(attribute, {"is": "feature", "feature": "x"})
    assert answer(step, y=0, **record) == expected


@pytest.mark.parametrize(
    ("attribute", "how"),
    [
        (categorical(4), {"is": "label"}),
        (categorical(4), {"is": "product", "of": ["label"], "clip": [1]}),
        (categorical(4), {"is": "feature", "feature": "x"}),
        (categorical(5), {"is": "feature", "feature": "c"}),
        (categorical(4, "signed"), {"is": "feature", "feature": "c"}),
        (NUMBER, {"is": "feature", "feature": "c"}),
        (NUMBER, {"is": "gradient", "feature": "c", "of": "label", "clip": 1}),
        (categorical(4), {"is": "gradient", "feature": "c", "of": "label", "clip": 1}),
        (categorical(3, "signed"), {"is": "gradient", "feature": "c", "of": "label", "clip": 1}),
    ],
)
def test_an_attribute_that_cannot_hold_every_answer_is_refused(
    attribute: dict[str, Any], how: dict[str, Any]
) -> None:
    with pytest.raises(RefusedError, match="the attribute must be"):
        step_of(attribute, how)


@pytest.mark.parametrize("how", [None, 7, [], "label", {}, {"is": None}, {"is": ["label"]}])
def test_what_is_no_derivation_is_refused(how: Any) -> None:
    with pytest.raises(RefusedError, match="'is' must be one of label, feature, gradient"):
        step_of(NUMBER, how)


@pytest.mark.parametrize(
    "round",
    [
        None,
        7,
        "charging:1",
        [],
        {},
        {"label": "charging:1"},
        {"seed": "ab" * 16},
        {"label": None, "seed": "ab" * 16},
        {"label": "a" * 65, "seed": "ab" * 16},
        {"label": "a/b", "seed": "ab" * 16},
        {"label": "charging:1", "seed": None},
        {"label": "charging:1", "seed": 7},
        {"label": "charging:1", "seed": "ab" * 15},
        {"label": "charging:1", "seed": "ab" * 17},
        {"label": "charging:1", "seed": "xy" * 16},
        {"label": "charging:1", "seed": "ab " * 10 + "ab"},
        {"label": "charging:1", "seed": "ab\n" * 10 + "ab"},
    ],
)
def test_a_step_without_a_proper_round_is_refused(round: Any) -> None:
    with pytest.raises(RefusedError, match=r"'round'|'label'|'seed'"):
        Step(step_document(round=round))


@pytest.mark.parametrize("label", ["a" * 64, "2026-W46", "charging:1", "7"])
def test_a_round_is_read(label: str) -> None:
    step = Step(step_document(round={"label": label, "seed": "ab" * 16}))
    assert (step.round, step.seed) == (label, b"\xab" * 16)


@pytest.mark.parametrize("document", [None, 7, [], "step", {}])
def test_what_is_no_step_is_refused(document: Any) -> None:
    with pytest.raises(RefusedError, match="'format' must be 'harmony-step/1'"):
        Step(document)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"training": None}, "'training'"),
        ({"survey": None}, "survey: a survey must be an object"),
        ({"features": None}, "'features' must list 1 to 10000 attributes"),
        ({"features": {"x": 1}}, "'features' must list"),
        ({"features": [7]}, r"features\[0\]: must be an object"),
        ({"features": [*FEATURES, FEATURES[0]]}, "two have the same 'name'"),
        ({"features": [{**FEATURES[0], "bins": [10, 20, 30]}]}, r"weights\[x\]' must list"),
        ({"features": [{**FEATURES[1], "kind": "signed"}]}, "'kind' must be 'numeric', 'categ"),
        (
            {
                "features": [
                    {
                        "name": "x",
                        "kind": "crosstab",
                        "of": [{**FEATURES[0], "points": 2}, FEATURES[1]],
                    }
                ]
            },
            "must have 'bins' in a feature",
        ),
        ({"features": [{**FEATURES[0], "low": 0, "high": 5e-324}]}, "too close"),
        ({"label": None}, "label: must be an object"),
        ({"label": {**LABEL, "bins": [-1, 0, 1]}}, "label: .*without bins"),
        ({"label": {**FEATURES[1], "name": "y"}}, "label: .*two values"),
        ({"model": None}, "model: must be an object"),
        ({"model": {"intercept": 0.0}}, "model: must be an object"),
        ({"model": {"intercept": 0.0, "weights": []}}, "model: must be an object"),
        ({"model": {"weights": MODEL["weights"]}}, "model: 'intercept'"),
        ({"model": {"intercept": 0, "weights": {"x": None, "c": [0] * 4}}}, r"'weights\[x\]'"),
        ({"model": {"intercept": 0, "weights": {"x": [0], "c": [0] * 4}}}, r"'weights\[x\]'"),
        ({"model": {"intercept": 0, "weights": {"x": 0, "c": 7}}}, r"'weights\[c\]' must list"),
        ({"model": {"intercept": 0, "weights": {"x": 0, "c": [0] * 3}}}, r"'weights\[c\]'"),
        ({"model": {"intercept": 0, "weights": {"x": 0, "c": [0] * 5}}}, r"'weights\[c\]'"),
        ({"model": {"intercept": 0, "weights": {"x": 0, "c": ["0"] * 4}}}, r"'weights\[c\]'"),
        ({"direction": {"intercept": 0.0}}, "direction: must be an object"),
        ({"derive": []}, "'derive' must be an object"),
        ({"derive": {"other": {"is": "label"}}}, r"derive\[it\]: 'is'"),
    ],
)
def test_a_step_with_a_part_missing_or_wrong_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        step_of(NUMBER, {"is": "label"}, **change)


def test_a_step_has_ten_thousand_features_at_most() -> None:
    features = [{**FEATURES[0], "name": f"x{place}"} for place in range(10_001)]
    model = {"intercept": 0.0, "weights": {one["name"]: 0.0 for one in features}}
    assert step_of(NUMBER, {"is": "label"}, features=features[:-1], model=model)
    with pytest.raises(RefusedError, match="'features' must list 1 to 10000"):
        step_of(NUMBER, {"is": "label"}, features=features, model=model)


def test_a_score_adds_a_weight_for_each_feature_that_is_there() -> None:
    model = {"intercept": 0.125, "weights": {"x": 0.5, "c": [0.25, -0.25, 0.0, 1.0]}}
    step = step_of(NUMBER, {"is": "product", "of": ["score"], "clip": [4.0]}, model=model)
    for record, score in (
        ({"x": 30, "c": "a"}, 0.125 + 0.5 + 0.25),
        ({"x": 15, "c": "d"}, 0.125 - 0.25 + 1.0),
        ({"x": 30}, 0.125 + 0.5),
        ({"c": "b"}, 0.125 - 0.25),
        ({}, 0.125),
    ):
        assert answer(step, y=0, **record) == score / 4


@pytest.mark.parametrize(("label", "expected"), [(False, -1.0), (True, 1.0)])
def test_a_label_of_two_values_is_minus_one_or_one(label: bool, expected: float) -> None:
    two = {"name": "y", "kind": "categorical", "values": [False, True]}
    assert answer(step_of(NUMBER, {"is": "label"}, label=two), y=label) == expected


@pytest.mark.parametrize(("label", "expected"), [(10, -1.0), (25, 0.5), (30, 1.0), (99, 1.0)])
def test_a_numeric_label_is_scaled(label: float, expected: float) -> None:
    number = {"name": "y", "kind": "numeric", "low": 10, "high": 30}
    assert answer(step_of(NUMBER, {"is": "label"}, label=number), y=label) == expected
