"""Figure 1 of the paper, again: four panels, Harmony and Hybrid, and beside them `auto`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...errors import HarmonyError
from ...files import write_whole
from ...progress import progress_bar
from ..populations import br, us
from .experiment import PANELS, PROTOCOLS, Experiment, Measured, methods_of
from .paper import EPSILONS, RUNS, USERS, Point, write_points
from .store import Store
from .summary import Source, summarize


def reproduce_mean_frequency(
    out: str | Path = "reproduction",
    *,
    protocol: str = "published",
    scale: float = 1.0,
    runs: int = RUNS,
    seed: int = 2016,
    epsilons: Sequence[float] = EPSILONS,
    people: Sequence[Source] | None = None,
    progress: bool | None = None,
) -> list[Measured]:
    """Measure every point, and write CSV, PNG, SVG and a Markdown report into `out`.

    `scale` shrinks the populations; `people` replaces them (an IPUMS extract, say).  Points
    already in `out` with the same settings are kept, so an interrupted run goes on where it was.
    Returns the points, in the order of the paper's figure.
    """
    if protocol not in PROTOCOLS:
        raise HarmonyError(f"'protocol' must be one of {', '.join(PROTOCOLS)}")
    if not 0 < scale <= 1:
        raise HarmonyError("'scale' must lie above 0 and at most at 1")
    if runs < 1:
        raise HarmonyError("'runs' must be at least 1")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    if people is None:
        people = [us(round(USERS["US"] * scale), seed), br(round(USERS["BR"] * scale), seed)]
    store = Store(folder / f"mean-frequency-{protocol}.jsonl")
    measured: list[Measured] = []
    for source in people:
        measured += _one_population(source, protocol, runs, seed, epsilons, store, progress)
    _write(folder, protocol, measured)
    return measured


def _one_population(
    source: Source,
    protocol: str,
    runs: int,
    seed: int,
    epsilons: Sequence[float],
    store: Store,
    progress: bool | None,
) -> list[Measured]:
    users = int(getattr(source, "n", 0))
    with progress_bar(f"{source.name}: people", users, progress) as advance:
        summary = summarize(source, advance)
    experiment = Experiment(summary, source.attributes, protocol, runs, seed)
    wanted = [
        (panel, method, epsilon)
        for panel in PANELS
        for method in methods_of(panel)
        for epsilon in epsilons
    ]
    measured = []
    with progress_bar(f"{source.name}: points", len(wanted), progress) as advance:
        for panel, method, epsilon in wanted:
            settings = (protocol, summary.name, panel, method, epsilon, summary.n, runs, seed)
            measure = partial(experiment.measure, panel, method, epsilon)
            measured.append(store.point(settings, measure))
            advance(1)
    return measured


def _write(folder: Path, protocol: str, measured: list[Measured]) -> None:
    from .figure import draw
    from .report import report

    name = f"mean-frequency-{protocol}"
    points = [
        Point("mean-frequency", one.dataset, one.panel, one.method, one.epsilon, one.value)
        for one in measured
    ]
    write_whole(folder / f"{name}.csv", write_points(points).encode())
    write_whole(folder / f"{name}.md", report(measured, f"{name}.svg").encode())
    draw(measured, [folder / f"{name}.svg", folder / f"{name}.png"])
