"""Scale: the coins of millions of reports, tallies of logs on every engine, growth, decoding.

Contenders run one after the other, round after round; times are medians.  A log of 50 million
reports takes 860 MB in the temporary directory while it runs.
"""

from __future__ import annotations

import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

import harmony as hm
from harmony.arrays import NO_TIERS
from harmony.bulk.coins import Coins
from harmony.bulk.counter import Counter
from harmony.bulk.threads import cores, share_out
from harmony.engines import LogWriter, arrow, duck, spark
from harmony.engines.log import HIGH, LOW, NUMBER, Log, cell_columns, open_log
from harmony.engines.simulation import Simulation, invent
from harmony.reports import reports_batch, reports_schema

from . import page, plots
from .collect import population, survey

Times = dict[str, list[float]]

NOTES = """
The coin is SipHash-2-4 of a 16-byte id; the loop with hashlib does the same with keyed BLAKE2
(hashlib has no SipHash), one device at a time. Decoding reads the columns of the log group by
group, on as many threads as counting does, and drops them. A trusted log is counted from its cells
alone, by the arrow engine as they lie packed in their pages. That engine checks a log by
recomputing every coin and looking for devices that reported twice; DuckDB and Spark look for such
devices only, and were run once. Spark runs on this machine with a gigabyte of memory, and its start
is not counted. `collect` reads its table from memory; the 90 million take the rows of 9 million
people in turn.
"""


def run(tiny: bool = False) -> None:
    rounds = 2 if tiny else 7
    us = survey()
    coins, pairs = coin_rates(us, 1 << 14 if tiny else 1 << 22, rounds)
    with tempfile.TemporaryDirectory() as folder:
        log = write_log(us, folder, 20_000 if tiny else 50_000_000)
        logs, ratios = log_rates(log, rounds if tiny else 5, with_spark=not tiny)
    sections = [coins, *logs, growth(tiny), decoding(tiny)]
    body = "\n\n".join(sections) + "\n" + NOTES
    print(body)
    if not tiny:
        plots.rates(pairs | ratios, "scale.svg")
        plot = "![Reports counted a second, by engine](scale.svg)\n\n"
        page.write_section("scale", "Scale", plot + body)


def timed(
    contenders: dict[str, Callable[[], object]],
    rounds: int,
    *,
    warm: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> Times:
    """Run the contenders in turn; return the seconds of each, round by round.

    What runs on one core is timed by its CPU time: others on the machine then matter less.
    """
    times: Times = {name: [] for name in contenders}
    for contender in contenders.values() if warm else ():
        contender()
    for _ in range(rounds):
        for name, contender in contenders.items():
            started = clock()
            contender()
            times[name].append(clock() - started)
    return times


def ratio(times: Times, one: str, other: str) -> float:
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


def coin_rates(us: hm.Survey, pairs: int, rounds: int) -> tuple[str, dict[str, float]]:
    """(device, symbol) pairs a second on one core, beside a loop with hashlib."""
    round_ = hm.Round.open("benchmark")
    low, high, symbols = some_reports(us, round_, pairs)
    few = max(1, pairs // 100)

    def ours() -> None:
        Counter(us, round_).add(low, high, NO_TIERS, [symbols])

    def loop() -> None:
        counts = [0] * Coins(us, round_).cells
        ids = np.stack([low[:few], high[:few]], axis=1).tobytes()
        rows, starts, widths = hashlib_tables(us, round_)
        for place, symbol in enumerate(symbols[:few].tolist()):
            device = ids[16 * place : 16 * place + 16]
            digest = hashlib.blake2b(device, key=round_.seed, digest_size=8).digest()
            word = int.from_bytes(digest, "little")
            asked = ((word & 0xFFFFFFFF) * len(rows)) >> 32
            row = ((word >> 32) * rows[asked]) >> 32
            if symbol < widths[asked]:  # another hash asks for another attribute
                counts[starts[asked] + row * widths[asked] + symbol] += 1

    times = timed({"ours": ours, "hashlib": loop}, rounds, clock=time.thread_time)
    rate = pairs / statistics.median(times["ours"])
    slower = ratio(times, "hashlib", "ours") * pairs / few
    rows = [
        ["coin and count, one core", f"{rate / 1e6:,.0f} M pairs/s"],
        ["a loop with hashlib", f"{rate / slower / 1e6:.2f} M pairs/s"],
        ["ratio, median", f"{slower:,.0f}"],
    ]
    head = f"(device, symbol) pairs, {len(us.attributes)} attributes, CPU time:\n\n"
    return head + page.table(["", ""], rows), {"coins recomputed, one core": rate / 1e6}


def hashlib_tables(us: hm.Survey, round_: hm.Round) -> tuple[list[int], list[int], list[int]]:
    coins = Coins(us, round_)
    return coins.coin.rows[0].tolist(), coins.starts.tolist(), coins.widths.tolist()


def some_reports(us: hm.Survey, round_: hm.Round, count: int) -> tuple[np.ndarray, ...]:
    """Random ids, and for each a symbol of the table that its coin names."""
    coins = Coins(us, round_)
    low, high = np.frombuffer(os.urandom(16 * count), np.uint64).reshape(2, -1)
    assigned = coins.assign(np.stack([low, high]), NO_TIERS)
    drawn = np.frombuffer(os.urandom(count), np.uint8)
    return low, high, (drawn % coins.widths[assigned.group]).astype(np.uint8)


def write_log(us: hm.Survey, folder: str, reports: int) -> Log:
    round_ = hm.Round.open("benchmark")
    schema = reports_schema(us, round_)
    with LogWriter(folder, us, round_) as log:
        for start in range(0, reports, 1 << 20):
            low, high, symbols = some_reports(us, round_, min(1 << 20, reports - start))
            ids = np.stack([low, high])
            batch = reports_batch(us, schema, ids, NO_TIERS, symbols.astype(np.uint16))
            log.write_table(pa.Table.from_batches([batch]))
    return open_log(us, folder)


def log_rates(log: Log, rounds: int, *, with_spark: bool) -> tuple[list[str], dict[str, float]]:
    """Every engine on one log, beside decoding its columns."""
    cells = cell_columns(log.survey)

    def decode(columns: list[str]) -> None:
        groups = ((file, group) for file in log.files for group in range(len(file.groups)))
        share_out(
            groups,
            cores(),
            lambda some: [len(log.read(file, group, columns)) for file, group in some],
        )

    quick: dict[str, Callable[[], object]] = {
        "decoding the cells": lambda: decode(cells),
        "decoding all columns": lambda: decode([LOW, HIGH, NUMBER, *cells]),
        "arrow, trusted": lambda: arrow.tally(log, trusted=True),
        "arrow, checked": lambda: arrow.tally(log),
    }
    slow: dict[str, Callable[[], object]] = {
        "duckdb, trusted": lambda: duck.tally(log, trusted=True),
        "duckdb, checked": lambda: duck.tally(log),
    }
    times = timed(quick, rounds)
    if with_spark:
        slow |= {
            "spark, trusted": lambda: spark.tally(log, trusted=True),
            "spark, checked": lambda: spark.tally(log),
        }
        with spark.spark_session():
            times |= timed(slow, 1, warm=False)
    else:
        times |= timed(slow, 1, warm=False)
    taken = {name: statistics.median(seconds) for name, seconds in times.items()}
    rates = {name: log.rows / seconds / 1e6 for name, seconds in taken.items()}
    rows = [
        [
            name,
            f"{seconds:.3f} s",
            f"{rates[name]:,.1f} M/s",
            f"{seconds / taken['decoding the cells']:.2f}",
            f"{seconds / taken['decoding all columns']:.2f}",
        ]
        for name, seconds in taken.items()
    ]
    size = sum(Path(file.path).stat().st_size for file in log.files) / log.rows
    head = f"A log of {log.rows:,} reports, {size:.1f} bytes each, {cores()} threads:\n\n"
    columns = ["", "median", "reports", "x decoding the cells", "x decoding all columns"]
    return [head + page.table(columns, rows)], rates


def growth(tiny: bool) -> str:
    """`collect` with more devices, and with more attributes."""
    rounds, unit = (1, 10_000) if tiny else (3, 1_000_000)
    us, people = survey(), pa.table(population(9 * unit))
    sizes = [unit, 9 * unit, 90 * unit]
    times = timed(
        {
            f"{size:,}": lambda size=size: Simulation(us, people.slice(0, size), size).tally()
            for size in sizes
        },
        rounds,
    )
    per_device = [statistics.median(times[f"{size:,}"]) / size * 1e9 for size in sizes]
    rows = [
        [f"{size:,} devices x 23 attributes", f"{each:.1f} ns"]
        for size, each in zip(sizes, per_device, strict=True)
    ]
    for attributes in (8, 64, 256):
        wide = hm.Survey(
            "wide", [hm.Integer(f"c{place}", 0, 7) for place in range(attributes)], epsilon=1.0
        )
        table = _narrow(wide, 1 if tiny else 16)

        def one_read(table=table) -> None:
            for column in table.values():
                column.max()

        def many(wide=wide, table=table) -> None:
            wide.collect(table)

        taken = timed({"collect": many, "one read": one_read}, rounds + 2)
        devices = len(next(iter(table.values())))
        extra = statistics.median(
            a - b for a, b in zip(taken["collect"], taken["one read"], strict=True)
        )
        rows.append(
            [f"{attributes} attributes, beyond one read", f"{extra / devices * 1e9:.1f} ns"]
        )
    return "`collect`, a device:\n\n" + page.table(["", "median"], rows)


def _narrow(wide: hm.Survey, times: int) -> dict[str, np.ndarray]:
    """People for the survey, in columns of one byte."""
    people, _ = invent(wide, 0)
    return {
        name: np.tile(people[name].to_numpy().astype(np.int8), times)
        for name in people.column_names
    }


def decoding(tiny: bool) -> str:
    """From a tally to estimates: one very large histogram, and very many attributes."""
    k, attributes = (1 << 10, 20) if tiny else (1 << 20, 1000)
    large = hm.Survey("large", [hm.Integer("v", 0, k - 1)], epsilon=1.0)
    many = hm.Survey(
        "many",
        [
            hm.Numeric(f"a{place}", 0, 100)
            if place % 3 == 0
            else hm.Integer(f"a{place}", 0, 1 + place % 40)
            for place in range(attributes)
        ],
        epsilon=1.0,
    )
    tallies = {one: Simulation(one, invent(one, 0)[0], 200_000).tally() for one in (large, many)}
    times = timed(
        {
            f"a histogram of {k:,} values": lambda: large.estimate(tallies[large]),
            f"{attributes:,} attributes": lambda: many.estimate(tallies[many]),
        },
        2 if tiny else 7,
        clock=time.process_time,
    )
    rows = [[name, f"{statistics.median(taken):.3f} s"] for name, taken in times.items()]
    return "Estimates from a tally, CPU time:\n\n" + page.table(["", "median"], rows)
