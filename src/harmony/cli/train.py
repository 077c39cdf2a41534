"""`harmony train`: from a table of people's values to a model, each row randomised first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import HarmonyError, SurveyError
from .loading import check_out
from .options import Json, Seed
from .terminal import busy, note, reporting, say, say_json

if TYPE_CHECKING:
    from ..learn import Model, Records, Training
    from ..learn.multiclass_model import MulticlassModel

MODEL = (".json", ".yaml", ".yml")
SKLEARN = ".joblib"


@reporting
def train(
    training: Annotated[
        Path, typer.Argument(metavar="TRAINING", help="What to learn (.json, .yaml)")
    ],
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATA]",
            help="People's values, one row a device (.csv, .tsv, .parquet, .json, .ndjson)",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write the model (.json, .yaml, or .joblib)"),
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option("--card", help="Where to write the model's card (.md), for people to read."),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say how many devices it takes.")
    ] = False,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Learn a linear, logistic or SVM model from devices that answer once, randomised.

    A .joblib model is an estimator for scikit-learn; a .json one is for everything else.

    [bold]Examples[/bold]
    \b
    harmony train crashes.yaml people.parquet -o crashes.json
    harmony train crashes.yaml people.parquet -o crashes.joblib --seed 7 --card crashes.md
    harmony train crashes.yaml --plan
    """
    asked = _load(training)
    if plan:
        _say_plan(asked, json)
        return
    if table is None or out is None:
        raise HarmonyError("give a file of people's values, and --out for the model; or --plan")
    check_out(out, (*MODEL, SKLEARN))
    if card is not None:
        check_out(card, (".md",))
    from ..learn import train as learn

    records = _read(table, asked, seed)
    asked = _for_devices(asked, records.devices)
    trainer = learn(asked, records, seed=seed)
    _save(trainer.model, out)
    if card is not None:
        card.write_text(trainer.model.card(), encoding="utf-8")
    if json:
        say_json({"out": str(out), "devices": records.devices, "history": trainer.history,
                  "model": trainer.model.to_document()})  # fmt: skip
        return
    say(trainer.model.summary(trainer.history))
    say(f"-> {out}")


def _load(path: Path) -> Training:
    from ..files import read_structured
    from ..learn import Training

    try:
        return Training.from_document(read_structured(path))
    except SurveyError as problem:
        raise type(problem)(f"{path}: {problem}") from None


def _read(path: Path, training: Training, seed: int | None) -> Records:
    """Read people's values, in no order: steps take rows in turn, and files are often sorted."""
    import numpy as np
    import pyarrow as pa

    from ..learn import Records
    from ..learn.crosses import all_columns
    from .data_files import read_parts
    from .people_files import category_words, value_columns

    features = all_columns(training.features)
    columns, optional = [*features, training.label], [feature.source for feature in features]
    with busy("Reading people's values"):
        parts = read_parts(
            path, value_columns(columns), optional=optional, words=category_words(columns)
        )
        table = pa.concat_tables(part.table for part in parts)
        order = np.random.default_rng(seed).permutation(len(table))
        return Records(table, training.features, training.label, order)


def _for_devices(training: Training, devices: int) -> Training:
    from dataclasses import replace

    if devices != training.devices:
        note(f"the table has {devices:,} rows, so that many devices take part")
    return replace(training, devices=devices)


def _say_plan(training: Training, json: bool) -> None:
    from dataclasses import asdict

    from ..learn import plan

    expected, half = plan(training), plan(training, closed=0.5)
    if json:
        say_json({"expected": asdict(expected), "half": asdict(half)})
        return
    say(str(expected))
    say(f"half of the gap takes {half.devices:,} devices")


def _save(model: Model | MulticlassModel, out: Path) -> None:
    if out.suffix != SKLEARN:
        model.save(out)
        return
    import joblib

    from ..learn.estimators import estimator_of

    joblib.dump(estimator_of(model), out)
