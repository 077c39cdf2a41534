"""First use: what a new user waits for, and what each kernel's compilation costs.

Everything runs in new processes, on a copy of the package in which nothing was compiled before.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import harmony

from . import page

TWO_ROWS = """
import harmony as hm
imported = now(), cpu()
survey = hm.Survey("phones", [hm.Numeric("battery", 0, 100), hm.Boolean("wifi")], epsilon=1.0)
survey.collect({"battery": [20.0, 90.0], "wifi": [True, False]})
"""
MANY_ROWS = """
from benchmarks.collect import population, survey
survey, table = survey(), population(DEVICES)
imported = now(), cpu()
survey.collect(table)
"""
TIMED = """
import json, time
now, cpu = time.perf_counter, time.process_time
started = now(), cpu()
{work}
print(json.dumps([imported[0] - started[0], now() - imported[0], cpu() - imported[1]]))
"""
NOTES = """
Medians of new processes, in a copy of the package without compiled kernels (but with Python's own
compiled files). `import harmony` loads what it needs later, so the two rows also pay for importing
NumPy, Arrow, SciPy and the cipher and for designing the survey's tables. Kernels are loaded, or
compiled once on a machine, for tables that NumPy would take longer for. What is compiled for one
kind of processor, Python or Numba is compiled again for another.
"""


def run(tiny: bool = False) -> None:
    rounds, devices = (1, 1 << 22) if tiny else (5, 9_000_000)
    many = MANY_ROWS.replace("DEVICES", str(devices))
    times: dict[str, list[tuple[float, ...]]] = {}
    kernels: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        new = NewMachine(Path(folder))
        new.run(TWO_ROWS)  # so that Python has compiled the package
        for _ in range(rounds):
            times.setdefault("two rows", []).append(new.run(TWO_ROWS))
            new.forget()
            times.setdefault(f"{devices:,} rows, the first time", []).append(new.run(many))
            times.setdefault(f"{devices:,} rows, a new process", []).append(new.run(many))
            new.forget()
            for name, seconds in new.warm().items():
                kernels.setdefault(name, []).append(seconds)
    rows = [
        [name, *(f"{statistics.median(part):.2f} s" for part in zip(*taken, strict=True))]
        for name, taken in times.items()
    ]
    costs = [[name, f"{statistics.median(taken):.2f} s"] for name, taken in kernels.items()]
    costs.append(
        ["together", f"{sum(statistics.median(taken) for taken in kernels.values()):.2f} s"]
    )
    body = page.table(["", "before it", "`collect`", "CPU"], rows)
    body += "\n\n" + page.table(["kernel", "compiled in"], costs) + "\n" + NOTES
    print(body)
    if not tiny:
        page.write_section("first use", "First use", body)


class NewMachine:
    """A copy of the package, and what is compiled in it."""

    def __init__(self, folder: Path) -> None:
        source, self._package = Path(harmony.__file__).parent, folder / "harmony"
        shutil.copytree(source, self._package, ignore=shutil.ignore_patterns("__pycache__"))
        dropped = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONDONTWRITEBYTECODE")
        self._environment = {key: text for key, text in os.environ.items() if key not in dropped}
        here = Path(__file__).parents[1]
        self._environment |= {"PYTHONPATH": f"{folder}:{here}", "HOME": str(folder)}

    def run(self, work: str) -> tuple[float, ...]:
        """Return the seconds before `imported` is set, those after it, and their CPU time."""
        return tuple(json.loads(self._python("-c", TIMED.format(work=work)).splitlines()[-1]))

    def warm(self) -> dict[str, float]:
        """Compile every kernel; return the seconds that each took."""
        lines = self._python("-m", "harmony.bulk.warm").splitlines()[1:]
        return {name: float(seconds) for name, seconds, _ in map(str.split, lines)}

    def forget(self) -> None:
        """Remove the compiled kernels."""
        for kept in (self._package / "bulk" / "kernels" / "__pycache__").glob("*.kernel"):
            kept.unlink()

    def _python(self, *arguments: str) -> str:
        command = [sys.executable, "-W", "ignore", *arguments]
        said = subprocess.run(
            command, env=self._environment, check=True, text=True, stdout=subprocess.PIPE
        )
        return said.stdout
