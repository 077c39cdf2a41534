"""`reproduce erm`: the files it writes, resuming, folds, and the order of its curves."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import harmony as hm
from harmony.lab.populations import br, encode, labels, us
from harmony.lab.reproduce import reproduce_erm
from harmony.lab.reproduce.cross_validation import CrossValidation, methods_of
from harmony.lab.reproduce.encoded import encode_people

PEOPLE = [us(6000), br(5000)]


class Sorted:
    """People in a file that someone has sorted by income."""

    def __init__(self, people) -> None:
        self.name, self.attributes, self.people = people.name, people.attributes, people

    def chunks(self):
        table = self.people.table()
        order = np.argsort(table["income"], kind="stable")
        for part in np.array_split(order, 3):
            yield {name: column[part] for name, column in table.items()}


def test_people_are_encoded_as_the_paper_says() -> None:
    known = encode_people(PEOPLE[1], seed=1)
    x, y = encode(PEOPLE[1].table(), PEOPLE[1].attributes, "income")
    beta = np.random.default_rng(1).normal(size=95)
    assert np.allclose(known.matrix.scores(beta), x.astype(np.float64) @ beta)
    assert np.array_equal(known.income, y)
    assert np.array_equal(known.label, labels(y))


def test_people_of_a_sorted_file_are_mixed() -> None:
    """The halves' means differ by less than 6 of their standard errors; sorted, by about 100."""
    known = encode_people(Sorted(PEOPLE[0]), seed=1)
    left, right = np.array_split(known.income, 2)
    assert abs(left.mean() - right.mean()) < 6 * known.income.std() / np.sqrt(1500)
    simulated = encode_people(PEOPLE[0], seed=1).income
    assert np.array_equal(np.sort(known.income), np.sort(simulated))


def test_folds_take_everybody_once_and_no_one_is_tested_on_what_was_learned() -> None:
    known = encode_people(PEOPLE[0], seed=1)
    tested = [place for start, count in known.folds(7) for place in range(start, start + count)]
    assert tested == list(range(6000))


def test_no_model_is_fitted_to_the_people_it_is_tested_on() -> None:
    """If it is not, mse(y) + mse(-y) = 2 mse(0) + 2 mean(y^2) as the tested incomes y change."""
    known = encode_people(PEOPLE[0], seed=1)
    validation = CrossValidation(known, 3, 3, seed=1)
    income = known.income[:2000].copy()
    errors = {}
    for sign in (1, 0, -1):
        known.income[:2000] = sign * income
        (errors[sign],) = validation._errors("linear", "mgd", 0.8, 0, 0, 2000)
    expected = 2 * errors[0] + 2 * float(np.mean(income.astype(np.float64) ** 2))
    assert errors[1] + errors[-1] == pytest.approx(expected, rel=1e-6)
    assert errors[1] != errors[0]


def test_it_writes_the_papers_columns_a_figure_and_a_report(tmp_path) -> None:
    measured = reproduce_erm(tmp_path, folds=2, people=PEOPLE, epsilons=(0.2, 0.8))
    rows = list(csv.DictReader((tmp_path / "erm.csv").open()))
    assert list(rows[0]) == ["figure", "dataset", "panel", "method", "epsilon", "value"]
    assert len(rows) == len(measured) == 2 * 2 * (5 + 4 + 4)
    assert (tmp_path / "erm.svg").read_text().startswith("<?xml")
    assert (tmp_path / "erm.png").stat().st_size > 10_000
    report = (tmp_path / "erm.md").read_text()
    assert "## BR, svm: misclassification rate" in report
    assert "| mgd-dr, paper | 0.2049 | 0.1588 |" in report
    still = [one.value for one in measured if one.method == "non-private"]
    assert still[::2] == still[1::2]  # the same at every epsilon


def test_an_interrupted_run_goes_on_and_a_complete_one_reads_nobody(tmp_path, monkeypatch) -> None:
    chosen = ("mgd", "mgd-dr", "non-private")
    settings = {"folds": 2, "people": PEOPLE[1:], "epsilons": (0.4,), "methods": chosen}
    whole = reproduce_erm(tmp_path, **settings)
    store = tmp_path / "erm.jsonl"
    lines = store.read_text().splitlines()
    store.write_text("\n".join(lines[:3]) + "\n" + lines[3][:30] + "\n")
    assert reproduce_erm(tmp_path, **settings) == whole
    assert store.read_text().splitlines()[4:] == lines[3:]
    monkeypatch.setattr("harmony.lab.reproduce.erm.encode_people", None)
    assert reproduce_erm(tmp_path, **settings) == whole


@pytest.mark.parametrize("panel", ["linear", "svm"])
def test_the_curves_are_in_the_papers_order(panel) -> None:
    """At epsilon 0.8 with 60,000 people the means of 4 folds lie many errors apart."""
    validation = CrossValidation(encode_people(us(60_000), seed=1), 4, 4, seed=1)
    *paper, best = (validation.measure(panel, method, 0.8).value for method in methods_of(panel))
    assert paper == sorted(paper, reverse=True)
    assert paper[-1] < best < paper[-2]  # auto: between the paper's best and no privacy


def test_the_best_step_and_other_noise_can_be_run_beside_them() -> None:
    validation = CrossValidation(encode_people(us(20_000), seed=1), 10, 2, seed=1)
    errors = {
        method: validation.measure("linear", method, 0.8).value
        for method in ("mgd", "mgd-hindsight", "sgd-laplace", "sgd", "sgd-harmony")
    }
    assert errors["mgd-hindsight"] < 0.5 < errors["mgd"] < errors["sgd"] < errors["sgd-laplace"]
    assert errors["sgd-harmony"] > errors["mgd"]


def test_wrong_settings_are_refused(tmp_path) -> None:
    for wrong in ({"scale": 0.0}, {"folds": 1}, {"tested": 11}, {"methods": ["adam"]}):
        with pytest.raises(hm.HarmonyError, match=next(iter(wrong))):
            reproduce_erm(tmp_path, **wrong)
    phones = Sorted(PEOPLE[0])
    phones.attributes = [one for one in phones.attributes if one.name != "income"]
    with pytest.raises(hm.HarmonyError, match="income"):
        reproduce_erm(tmp_path, people=[phones], folds=2)
