"""Other libraries on the same people: speed, and the error at equal n and epsilon beside it.

Times are from values to frequencies: randomising on the client, aggregating, estimating.
pure-ldp's estimates are unbiased and compared with our unbiased ones; multi-freq-ldpy makes
its estimates non-negative and adds them up to one, so they are compared with our consistent
ones.
"""

from __future__ import annotations

import random
import statistics
import time
import warnings
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace

import numpy as np

import harmony as hm

from . import page, plots
from .collect import SIZES

EPSILON = 1.0
VALUES = 16
NOTES = """
RMSE is over all values, against the frequencies among these very users; both columns are medians
over the rounds. With one attribute everyone answers it; with 17, each user answers one (SMP). The
other libraries take one user a call, in Python.
"""

Frequencies = list[np.ndarray]


def run(tiny: bool = False) -> None:
    users, rounds = (1000, 1) if tiny else (30_000, 5)
    rng = np.random.default_rng(0)
    one = [rng.choice(VALUES, users, p=_zipf(VALUES))]
    many = [rng.choice(k, users, p=_zipf(k)) for k in SIZES]
    tables = []
    shown: dict[str, tuple[float, float]] = {}
    for title, columns, contenders in (
        (f"one attribute, k = {VALUES}", one, (harmony, hadamard_response, local_hashing)),
        (f"{len(SIZES)} attributes, k = 2 to 16", many, (harmony_consistent, smp_grr, smp_oue)),
    ):
        rows = []
        results = {contender: _measure(contender, columns, rounds) for contender in contenders}
        ours = results[contenders[0]][0]
        for contender, (seconds, error) in results.items():
            name = contender.__doc__ or ""
            per_user = seconds / users * 1e6
            rows.append([name, f"{per_user:.3f} us", f"{seconds / ours:,.0f}", f"{error:.4f}"])
            shown[f"{name}, {len(columns)} attr."] = (per_user, error)
        tables.append(f"{title}, {users:,} users, epsilon {EPSILON:g}:\n\n")
        tables[-1] += page.table(["", "a user", "x ours", "RMSE"], rows)
    body = "\n\n".join(tables) + "\n" + NOTES
    print(body)
    if not tiny:
        plots.speed_and_error(shown, "peers.svg")
        body = "![Time a user and error of each library](peers.svg)\n\n" + body
        page.write_section("peers", "Other libraries", body)


def harmony(columns: list[np.ndarray]) -> Frequencies:
    """Harmony"""
    result = _collected(columns)
    return [np.array(list(one.frequencies.values())) for one in result.estimates.values()]


def harmony_consistent(columns: list[np.ndarray]) -> Frequencies:
    """Harmony"""
    result = _collected(columns)
    return [np.array(list(one.consistent.values())) for one in result.estimates.values()]


def _collected(columns: list[np.ndarray]):
    survey = _survey(tuple(_size(columns, place) for place in range(len(columns))))
    table = {f"c{place}": column for place, column in enumerate(columns)}
    return survey.estimate(survey.collect(table))


@lru_cache
def _survey(sizes: tuple[int, ...]) -> hm.Survey:
    attributes = [hm.Integer(f"c{place}", 0, k - 1) for place, k in enumerate(sizes)]
    return hm.Survey("peers", attributes, epsilon=EPSILON)


def hadamard_response(columns: list[np.ndarray]) -> Frequencies:
    """pure-ldp, Hadamard response"""
    import pure_ldp.frequency_oracles.hadamard_response.internal.k2k_hadamard as k2k
    from pure_ldp.frequency_oracles.hadamard_response import (
        HadamardResponseClient,
        HadamardResponseServer,
    )

    # pure-ldp passes floats to randint, which newer Pythons refuse.
    k2k.random = SimpleNamespace(
        random=random.random, randint=lambda low, high: random.randint(low, int(high))
    )
    server = HadamardResponseServer(EPSILON, VALUES)
    client = HadamardResponseClient(EPSILON, VALUES, server.get_hash_funcs())
    return _heard(server, client, columns[0])


def local_hashing(columns: list[np.ndarray]) -> Frequencies:
    """pure-ldp, OLH"""
    import xxhash
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer, lh_client, lh_server

    # pure-ldp hashes text under 64-bit seeds, which newer versions of xxhash refuse.
    lh_client.xxhash = lh_server.xxhash = SimpleNamespace(
        xxh32=lambda text, seed: xxhash.xxh32(text.encode(), seed=seed & 0xFFFFFFFF)
    )
    server = LHServer(EPSILON, VALUES, use_olh=True)
    return _heard(server, LHClient(EPSILON, VALUES, use_olh=True), columns[0])


def _heard(server, client, column: np.ndarray) -> Frequencies:
    for value in (column + 1).tolist():
        server.aggregate(client.privatise(value))
    estimates = [server.estimate(value + 1, suppress_warnings=True) for value in range(VALUES)]
    return [np.array(estimates) / len(column)]


def smp_grr(columns: list[np.ndarray]) -> Frequencies:
    """multi-freq-ldpy, SMP[GRR]"""
    from multi_freq_ldpy.mdim_freq_est.SMP_solution import SMP_GRR_Aggregator_MI, SMP_GRR_Client

    sizes = [_size(columns, place) for place in range(len(columns))]
    people = np.stack(columns, axis=1)
    reports = [SMP_GRR_Client(row, sizes, len(sizes), EPSILON) for row in people]
    return list(SMP_GRR_Aggregator_MI(reports, sizes, len(sizes), EPSILON))


def smp_oue(columns: list[np.ndarray]) -> Frequencies:
    """multi-freq-ldpy, SMP[OUE]"""
    from multi_freq_ldpy.mdim_freq_est.SMP_solution import SMP_UE_Aggregator_MI, SMP_UE_Client

    sizes = [_size(columns, place) for place in range(len(columns))]
    people = np.stack(columns, axis=1)
    reports = [SMP_UE_Client(row, sizes, len(sizes), EPSILON) for row in people]
    return list(SMP_UE_Aggregator_MI(reports, len(sizes), EPSILON))


def _measure(
    contender: Callable[[list[np.ndarray]], Frequencies], columns: list[np.ndarray], rounds: int
) -> tuple[float, float]:
    """Return the median seconds and error over the rounds; a few users first, to compile."""
    warnings.simplefilter("ignore")
    contender([column[:500] for column in columns])
    seconds, errors = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        estimates = contender(columns)
        seconds.append(time.perf_counter() - started)
        off = [
            estimate - np.bincount(column, minlength=len(estimate)) / len(column)
            for estimate, column in zip(estimates, columns, strict=True)
        ]
        errors.append(float(np.sqrt(np.mean(np.concatenate(off).astype(float) ** 2))))
    return statistics.median(seconds), statistics.median(errors)


def _size(columns: list[np.ndarray], place: int) -> int:
    return VALUES if len(columns) == 1 else SIZES[place]


def _zipf(k: int) -> np.ndarray:
    shares = 1 / np.arange(1, k + 1)
    return shares / shares.sum()
