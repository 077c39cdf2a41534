"""Figure 2 of the paper, again: six panels, every method, and beside them `auto`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from ...errors import HarmonyError
from ...files import write_whole
from ...progress import progress_bar
from ..populations import br, us
from .encoded import encode_people
from .experiment import Measured
from .learning import FOLDS, METHODS, PANELS, PROTOCOL, RIVALS, Learning, methods_of
from .paper import EPSILONS, USERS, Point, write_points
from .store import Store
from .summary import Source


def reproduce_erm(
    out: str | Path = "reproduction",
    *,
    scale: float = 1.0,
    folds: int = FOLDS,
    seed: int = 2016,
    epsilons: Sequence[float] = EPSILONS,
    methods: Sequence[str] = METHODS,
    people: Sequence[Source] | None = None,
    progress: bool | None = None,
) -> list[Measured]:
    """Measure every point, and write CSV, PNG, SVG and a Markdown report into `out`.

    `scale` shrinks the populations; `people` replaces them (an IPUMS extract, say); `methods` may
    leave out some, or add some of `RIVALS`.  Points already in `out` with the same settings are
    kept, so an interrupted run goes on where it was.
    """
    if not 0 < scale <= 1:
        raise HarmonyError("'scale' must lie above 0 and at most at 1")
    if folds < 2:
        raise HarmonyError("'folds' must be at least 2")
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
        measured += _one_population(source, folds, seed, epsilons, methods, store, progress)
    _write(folder, measured)
    return measured


def _one_population(
    source: Source,
    folds: int,
    seed: int,
    epsilons: Sequence[float],
    methods: Sequence[str],
    store: Store,
    progress: bool | None,
) -> list[Measured]:
    users = int(getattr(source, "n", 0))

    @cache
    def learning() -> Learning:
        """Read the people only when a point is missing."""
        with progress_bar(f"{source.name}: people", users, progress) as advance:
            return Learning(encode_people(source, seed, advance), folds, seed)

    users = users or learning().people.n
    wanted = [
        (panel, method, epsilon)
        for panel in PANELS
        for method in methods_of(panel, methods)
        for epsilon in epsilons
    ]
    measured = []
    with progress_bar(f"{source.name}: points", len(wanted), progress) as advance:
        for panel, method, epsilon in wanted:
            # Without privacy every epsilon is the same: measured once, plotted at each.
            used = epsilons[0] if method == "non-private" else epsilon
            settings = (PROTOCOL, source.name, panel, method, used, users, folds, seed)
            point = store.point(settings, partial(_measure, learning, panel, method, used))
            measured.append(replace(point, epsilon=epsilon))
            advance(1)
    return measured


def _measure(learning: Callable[[], Learning], panel: str, method: str, epsilon: float) -> Measured:
    return learning().measure(panel, method, epsilon)


def _write(folder: Path, measured: list[Measured]) -> None:
    from .erm_report import report
    from .figure import draw_erm

    points = [
        Point("erm", one.dataset, one.panel, one.method, one.epsilon, one.value) for one in measured
    ]
    write_whole(folder / "erm.csv", write_points(points).encode())
    write_whole(folder / "erm.md", report(measured, "erm.svg").encode())
    draw_erm(measured, [folder / "erm.svg", folder / "erm.png"])
