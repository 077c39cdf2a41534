"""Training offline: records stand for devices, and answer step after step."""

from __future__ import annotations

from ..progress import progress_bar
from .derive import collect_step
from .records import Records
from .trainer import Trainer
from .training import Training


def train(
    training: Training,
    records: Records,
    *,
    seed: int | None = None,
    progress: bool | None = None,
    threads: int | None = None,
) -> Trainer:
    """Run a whole training on the devices of `records`, in their order; each answers once.

    >>> from harmony import Boolean, Numeric
    >>> age, happy = Numeric("age", 0, 100), Boolean("happy")
    >>> people = {"age": [20.0, 80.0] * 5000, "happy": [False, True] * 5000}
    >>> training = Training("mood", 4.0, "logistic", happy, [age], devices=10_000)
    >>> trainer = train(training, Records(people, [age], happy), seed=1)
    >>> trainer.model.predict({"age": [25.0, 75.0]}).tolist()
    [False, True]
    """
    trainer, first = Trainer(training), 0
    with progress_bar("training", records.devices, progress) as advance:
        while (step := trainer.step) is not None:
            stop = min(first + step.devices, records.devices)
            trainer.learn(collect_step(step, records, first, stop, seed, threads))
            advance(stop - first)
            first = stop
    return trainer
