"""What people ask: distributions and crosstabs, and the attributes that devices answer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import harmony as hm
import harmony_device
from harmony.distribution import Level
from harmony.questions import checked_questions


def theme() -> hm.Categorical:
    return hm.Categorical("theme", ["light", "dark", "auto"], missing="auto", weight=3)


def asked(*questions: Any, **options: Any) -> hm.Survey:
    return hm.Survey("phones", questions, epsilon=options.pop("epsilon", 1.0), **options)


class TestDistribution:
    def test_its_levels_read_one_number_in_finer_and_finer_bins(self) -> None:
        survey = asked(hm.Distribution("age", 0, 128, bins=16, missing=40, weight=2))
        assert [one.name for one in survey.attributes] == ["age in 4 bins", "age in 16 bins"]
        assert {(one.source, one.missing, one.weight) for one in survey.readings} == {
            ("age", 40.0, 2)
        }
        coarse, fine = survey.readings
        assert isinstance(coarse, hm.Numeric)
        assert isinstance(fine, hm.Numeric)
        assert coarse.edges == (0, 32, 64, 96, 128)
        assert fine.edges == tuple(range(0, 129, 8))

    @pytest.mark.parametrize("bins", [2, 3, 7, 8, 9, 31, 32, 100, 121, 256, 1000, 4096])
    def test_every_bin_is_made_of_whole_bins_of_the_next_level(self, bins: int) -> None:
        ages = hm.Distribution("age", -3, 7, bins=bins)
        levels = [set(level.edges) for level in ages.levels]
        assert all(coarse < fine for coarse, fine in pairwise(levels))
        assert [len(level.values) for level in ages.levels] == list(ages.sizes)
        assert ages.sizes[-1] == bins
        assert len(ages.sizes) <= 6

    def test_of_a_number_in_steps_each_value_is_a_bin(self) -> None:
        ages = hm.Distribution("age", 10, 12, step=0.5)
        assert ages.leaves == (10, 10.25, 10.75, 11.25, 11.75, 12)
        assert ages.sizes == (5,)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"bins": 1}, "'bins' must be an integer from 2 to 4096"),
            ({"bins": 4097}, "'bins' must be"),
            ({"bins": 16.0}, "'bins' must be"),
            ({"bins": 16, "step": 1}, "'bins' or 'step', not both"),
            ({"step": 0}, "'step' must be a positive number"),
            ({"step": True}, "'step' must be a positive number"),
            ({"step": 0.3}, "'step' must divide the range"),
            ({"step": 0.0001}, "'step' must divide the range"),
            ({"step": 2}, "'step' must divide the range"),
            ({"missing": 5}, "'missing' must lie between"),
            ({"weight": 0}, "'weight' must be an integer"),
            ({"reads": ""}, "'reads' must be a text"),
        ],
    )
    def test_what_is_wrong_is_named(self, options: dict[str, Any], said: str) -> None:
        with pytest.raises(hm.SurveyError, match=said):
            hm.Distribution("x", 0, 1, **options)

    def test_a_range_too_narrow_for_its_bins_is_refused(self) -> None:
        with pytest.raises(hm.SurveyError, match="too close for so many bins"):
            hm.Distribution("x", 1.0, 1.0 + 1e-15)

    def test_a_level_may_not_have_the_name_of_an_attribute(self) -> None:
        with pytest.raises(hm.SurveyError, match="'x in 4 bins' is a distribution's level"):
            asked(hm.Distribution("x", 0, 1, bins=16), hm.Boolean("x in 4 bins"))


class TestCrosstab:
    def test_names_are_the_attributes_of_the_survey(self) -> None:
        survey = asked(theme(), hm.Boolean("wifi"), hm.Crosstab("theme", "wifi", weight=2))
        pair = survey.attributes[2]
        assert isinstance(pair, hm.Crosstab)
        assert pair.name == "theme x wifi"
        assert [part.missing for part in pair.parts] == ["auto", None]
        assert [part.weight for part in pair.parts] == [1, 1]
        assert pair.values[:3] == (("light", False), ("light", True), ("dark", False))
        assert survey.mechanisms[0][2].values == 6

    def test_attributes_may_be_asked_in_a_pair_alone(self) -> None:
        survey = asked(hm.Crosstab(theme(), hm.Numeric("age", 0, 90, bins=3), name="both"))
        assert [one.source for one in survey.readings] == ["theme", "age"]

    def test_a_number_is_rounded_and_comes_second(self) -> None:
        survey = asked(hm.Numeric("battery", 0, 100, missing=50), theme(),
                       hm.Crosstab("battery", "theme"))  # fmt: skip
        group, number = survey.readings[2:]
        assert group.name == "theme"
        assert number.to_document() == {
            "name": "battery", "kind": "numeric", "low": 0.0, "high": 100.0, "missing": 50.0,
            "points": 2,
        }  # fmt: skip

    def test_a_distribution_is_a_number_in_a_pair(self) -> None:
        survey = asked(hm.Distribution("age", 0, 90, reads="years"), theme(),
                       hm.Crosstab("age", "theme"))  # fmt: skip
        assert survey.readings[-1].source == "years"
        assert survey.readings[-1].values == ("0", "90")

    @pytest.mark.parametrize(
        ("questions", "said"),
        [
            ([hm.Crosstab("theme", "wifi")], "no attribute 'theme'"),
            ([theme(), hm.Crosstab("theme", "them")], "no attribute 'them'.*did you mean 'theme'"),
            ([theme(), hm.Crosstab("theme", "theme")], "both parts read 'theme'"),
            (
                [theme(), hm.Boolean("wifi"), hm.Crosstab("theme", "wifi", name="pair"),
                 hm.Crosstab("theme", "pair")],
                "no attribute 'pair' that a crosstab can be made of",
            ),
            (
                [hm.Numeric("a", 0, 1), hm.Numeric("b", 0, 1), hm.Crosstab("a", "b")],
                "two numbers needs 'bins'",
            ),
            (
                [hm.Integer("a", 0, 9999), hm.Integer("b", 0, 9999), hm.Crosstab("a", "b")],
                "10,000 times 10,000 places",
            ),
            (
                [hm.Boolean("a"), hm.Crosstab(hm.Boolean("b"), theme(), name="a")],
                "two attributes are called 'a'",
            ),
            (
                [hm.Boolean("a"), hm.Categorical("b", ["x", "y"], reads="a")],
                "reads 'a' as a text, and another attribute reads it as a boolean",
            ),
            (
                [hm.Boolean("a"), hm.Crosstab(hm.Integer("b", 0, 1, reads="a"), theme())],
                "reads 'a' as a number",
            ),
        ],
    )  # fmt: skip
    def test_pairs_that_cannot_be_are_refused(self, questions: list[Any], said: str) -> None:
        with pytest.raises(hm.SurveyError, match=said):
            asked(*questions)

    @pytest.mark.parametrize("part", [3, None, hm.Distribution("x", 0, 1)])
    def test_a_part_is_a_name_or_an_attribute(self, part: Any) -> None:
        with pytest.raises(hm.SurveyError, match="each part must be"):
            hm.Crosstab(part, "theme")


class TestAllPairs:
    def test_all_are_all_but_those_of_two_numbers(self) -> None:
        number, wifi = hm.Numeric("battery", 0, 100), hm.Boolean("wifi")
        ages = hm.Distribution("age", 0, 90)
        survey = asked(number, theme(), wifi, ages, crosstabs="all")
        assert [one.name for one in survey.questions[4:]] == [
            "battery x theme", "battery x wifi", "theme x wifi", "theme x age", "wifi x age",
        ]  # fmt: skip

    def test_some_are_listed_by_name(self) -> None:
        found = checked_questions([theme(), hm.Boolean("wifi")], [("wifi", "theme")])
        assert found[2].name == "wifi x theme"

    @pytest.mark.parametrize("crosstabs", ["some", 3, ["theme"], [("a", "b", "c")]])
    def test_anything_else_is_refused(self, crosstabs: Any) -> None:
        with pytest.raises(hm.SurveyError, match="'crosstabs' must"):
            asked(theme(), hm.Boolean("wifi"), crosstabs=crosstabs)


def everything() -> hm.Survey:
    return asked(
        theme(),
        hm.Numeric("battery", 0, 100),
        hm.Distribution("age", 0, 120, step=1, missing=40),
        hm.Numeric("old", 0, 120, bins=[0, 65, 120], reads="age"),
        hm.Crosstab("theme", "battery"),
        hm.Crosstab("theme", hm.Integer("sims", 0, 2), name="pair", weight=2),
        hm.Crosstab("age", "theme"),
        epsilon=4.0,
        answers=2,
    )


class TestDocuments:
    def test_a_whole_document_is_the_survey_again(self) -> None:
        survey = everything()
        again = hm.Survey.from_document(survey.to_document())
        assert again == survey
        assert again.questions == survey.questions
        assert again.definition() == survey.definition()

    def test_so_is_what_a_person_would_write(self) -> None:
        survey = everything()
        written = survey.definition()["attributes"]
        assert written[2] == {
            "name": "age", "kind": "distribution", "low": 0.0, "high": 120.0, "step": 1,
            "missing": 40.0,
        }  # fmt: skip
        assert [one["of"] for one in written[4:]] == [
            ["theme", "battery"],
            ["theme", {"name": "sims", "kind": "categorical", "values": [0, 1, 2]}],
            ["theme", "age"],
        ]
        assert hm.Survey.from_document(survey.definition()) == survey

    def test_devices_take_it(self) -> None:
        survey = everything()
        read = harmony_device.Survey.from_json(survey.document_bytes)
        assert dict(read.needs) == {one.source: one.asks for one in survey.readings}

    def test_levels_that_are_not_the_distributions_are_refused(self) -> None:
        document = everything().to_document()
        levels = [one for one in document["attributes"] if "level_of" in one]
        assert len(levels) == 3
        levels[0]["bins"][1] += 1
        with pytest.raises(hm.SurveyError, match="levels of a distribution are not those"):
            hm.Survey.from_document(document)
        del document["attributes"][document["attributes"].index(levels[1])]
        with pytest.raises(hm.SurveyError, match="levels of a distribution are not those"):
            hm.Survey.from_document(document)

    def test_a_level_says_whose_it_is(self) -> None:
        (level,) = hm.Distribution("x", 0, 1, bins=4).levels
        assert isinstance(level, Level)
        assert level.to_document()["level_of"]["kind"] == "distribution"

    @pytest.mark.parametrize(
        ("document", "said"),
        [
            ({"kind": "crosstab"}, "'of' is missing"),
            ({"kind": "crosstab", "of": "theme"}, "'of' must list two"),
            ({"kind": "crosstab", "of": ["a", "b", "c"]}, "'of' must list two"),
            ({"kind": "crosstab", "of": ["a", {"name": "b", "kind": "crosstab"}]},
             r"of\[1\]: 'kind'"),
            ({"kind": "crosstab", "of": ["a", {"name": "b", "kind": "numeric", "points": 2}]},
             r"of\[1\]: 'high' is missing"),
            ({"kind": "crosstab", "of": ["a", "b"], "missing": "x"}, "unknown field 'missing'"),
            ({"kind": "distribution", "name": "a", "low": 0}, "'high' is missing"),
            ({"kind": "distribution", "name": "a", "low": 0, "high": 1, "steps": 1},
             "unknown field 'steps'; did you mean 'step'"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_in_a_file_is_named(self, document: dict[str, Any], said: str) -> None:
        survey = {"name": "s", "epsilon": 1, "attributes": [{"name": "a", "kind": "boolean"}]}
        survey["attributes"].append(document)  # type: ignore[attr-defined]
        with pytest.raises(hm.SurveyError, match=said):
            hm.Survey.from_document(survey)

    def test_pairs_may_be_asked_for_in_a_file(self) -> None:
        definition = {
            "name": "s", "epsilon": 1, "crosstabs": "all",
            "attributes": [{"name": "a", "kind": "boolean"}, {"name": "b", "kind": "boolean"}],
        }  # fmt: skip
        assert [one.name for one in hm.Survey.from_document(definition).questions] == [
            "a", "b", "a x b",
        ]  # fmt: skip
