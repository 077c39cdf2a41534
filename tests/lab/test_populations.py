"""The simulated people: shapes, seeds, chunks, correlation, and the paper's non-private errors."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.lab.populations import br, encode, labels, load_extract, phones, us

MAKERS = [us, br, phones]


@pytest.mark.parametrize("make", MAKERS)
def test_chunking_does_not_change_anybody(make) -> None:
    people = make(70_000, seed=3)
    whole = people.table()
    for size in (1000, 65_536, 69_999):
        pieces = list(people.chunks(size))
        assert all(
            np.array_equal(np.concatenate([piece[name] for piece in pieces]), whole[name])
            for name in whole
        )


@pytest.mark.parametrize("make", MAKERS)
def test_more_people_begin_with_the_same_people_and_another_seed_with_others(make) -> None:
    few, many, others = make(100, seed=3), make(5000, seed=3), make(100, seed=4)
    name = few.attributes[0].name
    assert np.array_equal(few.table()[name], many.table()[name][:100])
    assert not np.array_equal(few.table()[name], others.table()[name])


@pytest.mark.parametrize("make", MAKERS)
def test_a_survey_accepts_the_people_as_they_are(make) -> None:
    people = make(2000)
    survey = hm.Survey("people", people.attributes, epsilon=1.0, mechanism="harmony")
    assert survey.collect(people.table(), seed=1).reports == 2000


@pytest.mark.parametrize("make", MAKERS)
def test_the_marginals_are_those_of_the_traits(make) -> None:
    """Every frequency within 5 standard errors; false alarms: below 1e-3 over all."""
    people = make(50_000)
    table = people.table()
    for trait in people.traits:
        places = np.searchsorted(trait.levels, table[trait.name])
        seen = np.bincount(places, minlength=len(trait.levels)) / people.n
        error = np.sqrt(trait.frequencies / people.n) + 2 / people.n
        assert np.all(np.abs(seen - trait.frequencies) < 5 * error), trait.name


@pytest.mark.parametrize(
    ("make", "numeric", "categorical", "encoded", "mse", "error"),
    [(us, 6, 17, 85, 0.106, 0.246), (br, 6, 12, 95, 0.124, 0.267)],
)
def test_the_shapes_and_the_non_private_errors_are_near_the_papers(
    make, numeric, categorical, encoded, mse, error
) -> None:
    """Within 8% of the paper's linear MSE and 4% of its error rates; sampling adds under 2%."""
    from sklearn.linear_model import LogisticRegression

    people = make(60_000)
    kinds = [isinstance(one, hm.Numeric) for one in people.attributes]
    assert (sum(kinds), len(kinds) - sum(kinds)) == (numeric, categorical)
    x, y = encode(people.table(), people.attributes, "income")
    assert x.shape == (60_000, encoded)
    assert np.abs(x).max() == 1
    train, test = slice(0, 30_000), slice(30_000, None)
    solution = np.linalg.lstsq(x[train].astype(np.float64), y[train].astype(np.float64))[0]
    assert np.mean((x[test] @ solution - y[test]) ** 2) == pytest.approx(mse, rel=0.08)
    sides = labels(y)
    model = LogisticRegression(fit_intercept=False, max_iter=200).fit(x[train], sides[train])
    assert 1 - model.score(x[test], sides[test]) == pytest.approx(error, rel=0.04)


def test_attributes_are_correlated() -> None:
    table = us(20_000).table()
    assert np.corrcoef(table["education"], table["income"])[0, 1] > 0.2
    assert np.corrcoef(table["age"], table["children"])[0, 1] != pytest.approx(0, abs=0.02)


MAPPING = """
name: tiny
attributes:
  - {name: age, kind: numeric, column: AGE, low: 16, high: 95}
  - {name: income, kind: numeric, column: INCTOT, low: 0, high: 500, missing: [9999]}
  - {name: sex, kind: categorical, column: SEX, values: {1: male, 2: female}}
"""


def test_an_extract_is_read_from_csv(tmp_path) -> None:
    (tmp_path / "map.yaml").write_text(MAPPING)
    rows = ["YEAR,AGE,INCTOT,SEX", "2010,30,100,1", "2010,99,900,2", "2010,40,9999,1", "2010,5,0,7"]
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n")
    extract = load_extract(tmp_path / "data.csv", tmp_path / "map.yaml")
    (chunk,) = extract.chunks()
    assert {name: column.tolist() for name, column in chunk.items()} == {
        "age": [30, 95], "income": [100, 500], "sex": [0, 1],
    }  # fmt: skip
    assert extract.dropped == 2


def test_an_extract_is_read_from_fixed_columns(tmp_path) -> None:
    (tmp_path / "map.yaml").write_text(
        MAPPING + "fixed: {AGE: [1, 2], INCTOT: [3, 6], SEX: [7, 7]}\n"
    )
    (tmp_path / "data.dat").write_text("30 1001\n40 2002\n50    1\n")
    extract = load_extract(tmp_path / "data.dat", tmp_path / "map.yaml")
    (chunk,) = extract.chunks()
    assert chunk["income"].tolist() == [100, 200]
    assert chunk["sex"].tolist() == [0, 1]
    assert extract.dropped == 1


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("name: x", "'attributes' must list"),
        ("attributes: [{name: a}]", "lacks or misstates 'kind'"),
        ("attributes: [{name: a, kind: set, column: A, values: {1: a, 2: b}}]", "'kind' must be"),
        (MAPPING + "fixed: {AGE: [1, 2]}", "does not place column 'INCTOT'"),
    ],
)
def test_a_wrong_mapping_is_refused(tmp_path, mapping: str, message: str) -> None:
    (tmp_path / "map.yaml").write_text(mapping)
    with pytest.raises(hm.DataError, match=message):
        load_extract(tmp_path / "data.csv", tmp_path / "map.yaml")


def test_a_csv_without_a_column_is_refused(tmp_path) -> None:
    (tmp_path / "map.yaml").write_text(MAPPING)
    (tmp_path / "data.csv").write_text("AGE,SEX\n30,1\n")
    with pytest.raises(hm.DataError, match="INCTOT"):
        list(load_extract(tmp_path / "data.csv", tmp_path / "map.yaml").chunks())


def test_the_phones_have_the_marginals_of_the_real_data() -> None:
    """Exact to the four digits that were copied; skipped where the data set is not there."""
    from ..shared import load

    _, table = load("phone_greenhub")
    traits = {trait.name: trait for trait in phones(1).traits}
    columns = {"maker": "maker", "rooted": "is_root", "location": "location_enabled",
               "nfc": "nfc_enabled", "unknown sources": "unknown_sources"}  # fmt: skip
    for name, column in columns.items():
        codes = table[column].to_numpy()
        seen = np.bincount(codes, minlength=len(traits[name].levels)) / len(codes)
        assert np.allclose(seen, traits[name].frequencies, atol=2e-4), name
