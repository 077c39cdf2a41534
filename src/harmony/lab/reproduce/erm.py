"""Figure 2 of the paper, again: six panels, every method, and beside them `auto`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...errors import HarmonyError
from ...files import write_whole
from ...progress import progress_bar
from ..populations import br, us
from .cross_validation import FOLDS, METHODS, PANELS, RIVALS, CrossValidation, methods_of, protocol
from .encoded import encode_people
from .experiment import Measured
from .paper import EPSILONS, USERS, Point, write_points
from .store import Store
from .summary import Source


def reproduce_erm(
    out: str | Path = "reproduction",
    *,
    scale: float = 1.0,
    folds: int = FOLDS,
    tested: int | None = None,
    seed: int = 2016,
    epsilons: Sequence[float] = EPSILONS,
    methods: Sequence[str] = METHODS,
    people: Sequence[Source] | None = None,
    progress: bool | None = None,
) -> list[Measured]:
    """Measure every point, and write CSV, PNG, SVG and a Markdown report into `out`.

    `scale` shrinks the populations; `people` replaces them (an IPUMS extract, say); `methods` may
    leave out some, or add some of `RIVALS`; `tested` is how many of the folds are tested on.
    Points already in `out` with the same settings are kept, so an interrupted run goes on where
    it was.
    """
    if not 0 < scale <= 1:
        raise HarmonyError("'scale' must lie above 0 and at most at 1")
    if folds < 2:
        raise HarmonyError("'folds' must be at least 2")
    tested = folds if tested is None else tested
    if not 1 <= tested <= folds:
        raise HarmonyError("'tested' must lie between 1 and the number of folds")
    if unknown := set(methods) - {*METHODS, *RIVALS}:
        known = ", ".join([*METHODS, *RIVALS])
        raise HarmonyError(f"'methods': {min(unknown)!r} is not one of {known}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    if people is None:
        people = [us(round(USERS["US"] * scale), seed), br(round(USERS["BR"] * scale), seed)]
    store = Store(folder / "erm.jsonl")
    measured: list[Measured] = []
    for source in people:
        measured += _one_population(source, folds, tested, seed, epsilons, methods, store, progress)
    _write(folder, measured)
    return measured


def _one_population(
    source: Source,
    folds: int,
    tested: int,
    seed: int,
    epsilons: Sequence[float],
    methods: Sequence[str],
    store: Store,
    progress: bool | None,
) -> list[Measured]:
    users = int(getattr(source, "n", 0))
    wanted = [
        (panel, method, epsilon)
        for panel in PANELS
        for method in methods_of(panel, methods)
        for epsilon in epsilons
    ]

    def settings(panel: str, method: str, epsilon: float) -> tuple[object, ...]:
        return protocol(folds), source.name, panel, method, epsilon, users, tested, seed

    validation = None
    if not all(settings(*_measured_at(*one, epsilons)) in store for one in wanted):
        with progress_bar(f"{source.name}: people", users, progress) as advance:
            validation = CrossValidation(encode_people(source, seed, advance), folds, tested, seed)
        users = validation.people.n
    measured = []
    with progress_bar(f"{source.name}: points", len(wanted), progress) as advance:
        for panel, method, epsilon in wanted:
            at = _measured_at(panel, method, epsilon, epsilons)
            point = store.point(settings(*at), partial(_measure, validation, *at))
            measured.append(replace(point, epsilon=epsilon))
            advance(1)
    return measured


def _measured_at(
    panel: str, method: str, epsilon: float, epsilons: Sequence[float]
) -> tuple[str, str, float]:
    """Without privacy every epsilon is the same: measured at the first, plotted at each."""
    return panel, method, epsilons[0] if method == "non-private" else epsilon


def _measure(
    validation: CrossValidation | None, panel: str, method: str, epsilon: float
) -> Measured:
    assert validation is not None, "a point is missing, so the people were read"
    return validation.measure(panel, method, epsilon)


def _write(folder: Path, measured: list[Measured]) -> None:
    from .erm_report import report
    from .figure import draw_erm

    points = [
        Point("erm", one.dataset, one.panel, one.method, one.epsilon, one.value) for one in measured
    ]
    write_whole(folder / "erm.csv", write_points(points).encode())
    write_whole(folder / "erm.md", report(measured, "erm.svg").encode())
    draw_erm(measured, [folder / "erm.svg", folder / "erm.png"])
