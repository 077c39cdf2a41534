"""The device SDK: time to import it and to make a report, beside another library's client."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from resource import RUSAGE_CHILDREN, getrusage

from harmony_device import Survey, make_report

from . import page
from .collect import SIZES, peers, survey

ROUNDS = 15


def run(tiny: bool = False) -> None:
    rounds = 3 if tiny else ROUNDS
    document = survey().to_document()
    asked = Survey(document)
    values = {f"n{place}": 37.5 for place in range(6)}
    values |= {f"c{place}": k - 1 for place, k in enumerate(SIZES)}

    seed, device = os.urandom(16), os.urandom(16)

    def one_report() -> bytes:
        return make_report(asked, seed, device, 0, values, os.urandom)

    report = min(_cpu(one_report, 200 if tiny else 5000) for _ in range(rounds))
    parse = min(_cpu(lambda: Survey(document), 5) for _ in range(rounds))
    imports = {
        "import harmony_device": "import harmony_device",
        "from harmony_device import Device": "from harmony_device import Device",
        "import pure_ldp's Hadamard client": (
            "from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient"
        ),
    }
    bare = _start("pass", rounds)
    rows = [
        [name, f"{(_start(code, rounds if 'pure' not in name else 3) - bare) * 1e3:.1f} ms"]
        for name, code in imports.items()
    ]
    rows += [
        ["a report, 23 attributes, one answer (CPU)", f"{report * 1e6:.1f} us"],
        ["reading and proving its survey document", f"{parse * 1e3:.2f} ms"],
    ]
    others = peers(500 if tiny else 5000)
    rows += [[f"{name}, a user", f"{microseconds:.1f} us"] for name, microseconds in others.items()]
    body = (
        "Imports are beyond an interpreter that does nothing, with compiled files in place. "
        f"CPU time; medians (imports) and best (the rest) of {rounds} rounds.\n\n"
    ) + page.table(["", ""], rows)
    print(body)
    if not tiny:
        page.write_section("device", "The device SDK", body)


def _cpu(work, times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def _start(code: str, rounds: int) -> float:
    """Median CPU seconds of an interpreter that runs `code`."""
    allowed = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(rounds + 1):
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, env=allowed)
        after = getrusage(RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(seconds[1:])  # the first run compiles
