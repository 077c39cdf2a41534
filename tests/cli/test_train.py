"""`harmony train`: models from a file, and plans."""

from __future__ import annotations

import json
from pathlib import Path

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harmony.learn import Model
from tests.site.code_blocks import ROOT, blocks_of

from .conftest import Run

TRAINING = """
name: crashes
epsilon: 4
loss: logistic
devices: 20000
label: {name: crashed, kind: boolean}
features:
  - {name: memory, kind: numeric, low: 0, high: 100}
  - {name: maker, kind: categorical, values: [Alder, Birch]}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    memory = random.uniform(0, 100, 20_000)
    maker = random.choice(["Alder", "Birch"], 20_000)
    crashed = random.random(20_000) < 0.1 + 0.6 * (memory > 60) + 0.2 * (maker == "Birch")
    table = pa.table({"memory": memory, "maker": maker, "crashed": crashed})
    pq.write_table(table, tmp_path / "people.parquet")
    (tmp_path / "crashes.yaml").write_text(TRAINING)
    return tmp_path


def test_a_model_is_trained_and_saved(files: Path, run: Run) -> None:
    done = run("train", files / "crashes.yaml", files / "people.parquet",
               "-o", files / "model.json", "--card", files / "card.md", "--seed", "7")  # fmt: skip
    assert done.exit_code == 0
    assert (files / "card.md").read_text().startswith("# Model card: crashes")
    assert "crashes: logistic loss, epsilon 4, 20,000 devices" in done.stdout
    model = Model.load(files / "model.json")
    table = pq.read_table(files / "people.parquet")
    assert np.mean(model.predict(table) == table["crashed"].to_numpy(zero_copy_only=False)) > 0.75


def test_a_model_for_scikit_learn(files: Path, run: Run) -> None:
    done = run("train", files / "crashes.yaml", files / "people.parquet",
               "-o", files / "model.joblib", "--seed", "7", "--json")  # fmt: skip
    assert json.loads(done.stdout)["devices"] == 20_000
    model = joblib.load(files / "model.joblib")
    assert model.predict({"memory": [99.0], "maker": ["Birch"]}).tolist() == [True]


def test_crosses_and_bins_are_written_in_the_file(files: Path, run: Run) -> None:
    (files / "crashes.yaml").write_text(
        TRAINING + "bins: {memory: [30, 60]}\ncrosses: [[memory, maker]]\n"
    )
    done = run("train", files / "crashes.yaml", files / "people.parquet",
               "-o", files / "model.joblib", "--seed", "7")  # fmt: skip
    assert "20,000 devices, 12 weights" in done.stdout
    model = joblib.load(files / "model.joblib")
    assert model.feature_names_in_.tolist() == ["memory", "maker"]
    assert "memory x maker_[60, 100] x Birch" in model.get_feature_names_out()
    rows = {"memory": [61.0, 59.0], "maker": ["Birch", "Alder"]}
    assert model.predict(rows).tolist() == [True, False]


def test_the_file_of_the_guide_is_a_training_with_its_options_and_without(
    tmp_path: Path, run: Run
) -> None:
    guide = (ROOT / "docs/learning.md").read_text()
    (block,) = (one for one in blocks_of(guide) if one.title == "hours.yaml")
    for text in (block.text, block.text.replace("\n# ", "\n")):
        (tmp_path / "hours.yaml").write_text(text)
        assert "hours: 200,000 devices" in run("train", tmp_path / "hours.yaml", "--plan").stdout


def test_a_plan_needs_no_data(files: Path, run: Run) -> None:
    assert "half of the gap takes" in run("train", files / "crashes.yaml", "--plan").stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("loss: logistic", "loss: luck"), "'loss' must be one of"),
        (("kind: boolean", "kind: numeric, low: 0, high: 1"), "'label' must list"),
        (("devices: 20000", ""), "'devices' is missing"),
    ],
)
def test_a_wrong_training_is_named(files: Path, run: Run, change, said) -> None:
    path = files / "crashes.yaml"
    path.write_text(path.read_text().replace(*change))
    done = run("train", path, files / "people.parquet", "-o", files / "model.json")
    assert done.exit_code == 2
    assert said in done.stderr


def test_data_and_a_place_for_the_model_are_needed(files: Path, run: Run) -> None:
    assert "--out" in run("train", files / "crashes.yaml").stderr
    done = run("train", files / "crashes.yaml", files / "people.parquet", "-o", files / "model.txt")
    assert "must end in" in done.stderr
