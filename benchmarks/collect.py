"""Speed of `collect`: against one read of the input, naive NumPy, and other libraries.

All timings are taken in one run, interleaved, and reported as medians of ratios.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import harmony as hm
from harmony.bulk import reference
from harmony.bulk.backend import load, using

from . import naive, page

PAPER = "NumPy, the paper's protocol"
PEERS = ("multi_freq_ldpy", "pure_ldp")
NOTES = """

"The same job" is `collect` in whole-array NumPy: the same coins, codes, tables and keystream, and
the same tally to the last integer. It is the reference that also works for small tables and until
the kernels are there; "chunk by chunk" is that reference as `collect` runs it, on all cores and a
chunk at a time, so that it stays in the cache. "The paper's protocol" does less: two-point tables,
private coins, no report that a server could recount, and a generator that is not secure. The other
libraries randomise one user a call, in Python, on the categorical attributes only, and do not
aggregate here. "Arithmetic alone" shifts and xors without touching memory: no program gains more
from the second core than that does.
"""

SIZES = (2, 2, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 16, 16)


def survey(mechanism: str = "auto") -> hm.Survey:
    """The shape of the paper's US data: 6 numeric and 17 categorical attributes, epsilon 1."""
    attributes: list = [hm.Numeric(f"n{place}", 0, 100) for place in range(6)]
    attributes += [hm.Integer(f"c{place}", 0, k - 1) for place, k in enumerate(SIZES)]
    return hm.Survey("us", attributes, epsilon=1.0, mechanism=mechanism)


def population(devices: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    table = {f"n{place}": rng.beta(2, 5, devices) * 100 for place in range(6)}
    return table | {
        f"c{place}": rng.integers(0, k, devices, dtype=np.int8) for place, k in enumerate(SIZES)
    }


def run(tiny: bool = False) -> None:
    if missing := [library for library in PEERS if find_spec(library) is None]:
        raise SystemExit(f"{', '.join(missing)}: not installed; `make bench` installs it first")
    devices, rounds = (50_000, 2) if tiny else (9_000_000, 10)
    us, table = survey(), population(devices)
    round_ = hm.Round.open("benchmark")
    some = {name: column[:1000] for name, column in table.items()}
    load()
    assert naive.collect(us, some, 1, round_) == us.collect(some, seed=1, round=round_)
    arithmetic(1, 2)

    def chunk_by_chunk() -> None:
        with using(reference):
            us.collect(table)

    def one_read() -> None:
        for column in table.values():
            column.max()

    contenders: dict[str, Callable[[], object]] = {
        "one read of the input": one_read,
        "collect": lambda: us.collect(table),
        "collect, one thread": lambda: us.collect(table, threads=1),
        "NumPy, the same job": lambda: naive.collect(us, table, 1, round_),
        "NumPy, chunk by chunk": chunk_by_chunk,
        PAPER: lambda: naive.paper_protocol(us, table),
        "arithmetic alone": lambda: arithmetic(devices, 1),
        "arithmetic alone, two threads": lambda: arithmetic(devices, 2),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        # Backwards every other time: who comes after NumPy finds the caches cold.
        for name, contender in list(contenders.items())[:: -1 if number % 2 else 1]:
            start = time.perf_counter()
            contender()
            times[name].append(time.perf_counter() - start)

    def ratio(one: str, other: str) -> float:
        return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))

    extra = peak_extra_memory(devices)
    per_device = statistics.median(times["collect, one thread"]) / devices
    rows = [
        [name, f"{statistics.median(seconds) * 1e3:,.0f} ms"] for name, seconds in times.items()
    ]
    ratios = [
        ["collect / one read of the input", f"{ratio('collect', 'one read of the input'):.2f}"],
        ["NumPy, the same job / collect", f"{ratio('NumPy, the same job', 'collect'):.1f}"],
        ["NumPy, chunk by chunk / collect", f"{ratio('NumPy, chunk by chunk', 'collect'):.1f}"],
        [f"{PAPER} / collect", f"{ratio(PAPER, 'collect'):.2f}"],
        ["collect, one thread / two threads", f"{ratio('collect, one thread', 'collect'):.2f}"],
        [
            "arithmetic alone, one thread / two threads",
            f"{ratio('arithmetic alone', 'arithmetic alone, two threads'):.2f}",
        ],
        ["peak memory beyond the input", f"{extra / 1e6:.0f} MB"],
        ["collect, one thread, a device", f"{per_device * 1e6:.3f} us"],
    ]
    for name, microseconds in peers(2000 if tiny else 20_000).items():
        slower = microseconds / per_device / 1e6
        ratios.append([f"{name}, a user", f"{microseconds:.2f} us, {slower:,.0f} x ours"])
    body = (
        f"{devices:,} devices x 23 attributes (6 numeric, 17 categorical with k from 2 to 16), "
        f"epsilon 1, secure randomness; medians of {rounds} interleaved rounds, every other one "
        "backwards.\n\n"
    )
    body += page.table(["", "median"], rows) + "\n\n" + page.table(["", ""], ratios) + NOTES
    print(body)
    if not tiny:
        page.write_section("collect", "Bulk collection", body)


def arithmetic(devices: int, threads: int) -> None:
    """Work that touches no memory, in one thread or two: what the second core is worth today."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(_spin(), [20 * devices // threads] * threads))


@cache
def _spin() -> Callable[[int], int]:
    from numba import njit  # late: the survey and the population of this file are used without it

    @njit(nogil=True)
    def spin(steps):  # type: ignore[no-untyped-def]
        word = np.uint64(1)
        for _ in range(steps):
            word ^= word << np.uint64(13)
            word ^= word >> np.uint64(7)
            word ^= word << np.uint64(17)
        return word

    return spin


def peak_extra_memory(devices: int) -> int:
    """Return how far `collect` raises a fresh process's memory above the input, at its peak."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_extra_memory, (devices,))


def _peak_extra_memory(devices: int) -> int:
    us, table = survey(), population(devices)
    load()
    us.collect({name: column[:1000] for name, column in table.items()})
    before = _resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # start the high-water mark anew
    us.collect(table)
    return _resident("VmHWM") - before


def _resident(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise OSError("no memory figures on this system")


def peers(users: int) -> dict[str, float]:
    """Microseconds a user in other libraries, client side, on the categorical attributes."""
    import random
    import warnings
    from types import SimpleNamespace

    warnings.simplefilter("ignore")
    import pure_ldp.frequency_oracles.hadamard_response.internal.k2k_hadamard as k2k
    from multi_freq_ldpy.mdim_freq_est.SMP_solution import SMP_GRR_Client
    from pure_ldp.frequency_oracles.hadamard_response import (
        HadamardResponseClient,
        HadamardResponseServer,
    )

    # pure-ldp passes floats to randint, which newer Pythons refuse.
    k2k.random = SimpleNamespace(
        random=random.random, randint=lambda low, high: random.randint(low, int(high))
    )
    rng = np.random.default_rng(0)
    values = rng.integers(1, 17, users).tolist()
    server = HadamardResponseServer(1.0, 16)
    client = HadamardResponseClient(1.0, 16, server.get_hash_funcs())
    start = time.perf_counter()
    for value in values:
        client.privatise(value)
    hadamard = time.perf_counter() - start

    rows = np.stack([rng.integers(0, k, users) for k in SIZES], axis=1)
    sizes = list(SIZES)
    SMP_GRR_Client(rows[0], sizes, len(sizes), 1.0)  # compile
    start = time.perf_counter()
    for row in rows:
        SMP_GRR_Client(row, sizes, len(sizes), 1.0)
    smp = time.perf_counter() - start
    return {
        "pure-ldp Hadamard response": hadamard / users * 1e6,
        "multi-freq-ldpy SMP[GRR]": smp / users * 1e6,
    }
