"""The benchmarks still run; what they measure is not judged here."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import (
    coverage,
    explorations,
    invented,
    learning,
    naive,
    optimality,
    peers,
    scale,
)
from benchmarks.collect import population, survey
from harmony import Round
from harmony.bulk.backend import load, using


def test_the_accuracy_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    optimality.run(tiny=True)
    assert "best rival" in capsys.readouterr().out


def test_the_coverage_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    coverage.run(tiny=True)
    assert "least_95" in capsys.readouterr().out


def test_the_benchmark_of_invented_populations_runs(capsys: pytest.CaptureFixture[str]) -> None:
    invented.run(tiny=True)
    assert "sufficient statistics" in capsys.readouterr().out


def test_the_learning_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    learning.run(tiny=True)
    assert "gap closed" in capsys.readouterr().out


def test_the_benchmark_of_explorations_runs(capsys: pytest.CaptureFixture[str]) -> None:
    explorations.run(tiny=True)
    assert "Mistakes a run" in capsys.readouterr().out


def test_plain_numpy_counts_the_same_integers_as_the_kernels() -> None:
    us, table, round_ = survey(), population(20_000), Round.open("1")
    with using(load()):
        kernels = us.collect(table, seed=3, round=round_)
    assert naive.collect(us, table, 3, round_) == kernels


def test_the_rivals_settings_are_at_their_best() -> None:
    """Figures from DESIGN.md: n x variance at frequency zero."""
    assert optimality.rivals.unary_encoding(1.0) == pytest.approx(3.68, abs=0.005)
    assert optimality.rivals.papers_hadamard(1.0) == pytest.approx(4.68, abs=0.005)
    assert optimality.rivals.hybrid(2.0) == pytest.approx(1.04, abs=0.005)
    assert optimality.rivals.piecewise(4.0) == pytest.approx(0.241, abs=0.0005)


def test_the_scale_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    scale.run(tiny=True)
    assert "x decoding the cells" in capsys.readouterr().out


def test_the_other_libraries_run(capsys: pytest.CaptureFixture[str]) -> None:
    for library in ("pure_ldp", "multi_freq_ldpy"):
        pytest.importorskip(library, reason=f"no {library} here: `make bench` installs it")
    peers.run(tiny=True)
    assert "RMSE" in capsys.readouterr().out


@pytest.mark.parametrize("name", command.NEEDS)
def test_what_a_benchmark_imports_is_asked_for_before_it_measures(name: str) -> None:
    own = {"harmony", "harmony_device", "tests", "numba", "numpy", "pyarrow", "scipy"}
    imported = third_party_imports(name) - own
    assert imported <= set(command.NEEDS[name])


def third_party_imports(name: str) -> set[str]:
    """Return what a benchmark, and what it draws and writes with, import anywhere in them."""
    found: set[str] = set()
    source = Path(command.__file__).with_name(f"{name}.py").read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name.split(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            neighbours = {node.module} if node.module else {one.name for one in node.names}
            for neighbour in neighbours - set(command.NEEDS):
                found |= third_party_imports(neighbour)
    return found - set(sys.stdlib_module_names)


def test_a_missing_peer_is_told_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = command.find_spec
    monkeypatch.setattr(command, "find_spec", lambda name: None if "ldp" in name else here(name))
    monkeypatch.setattr(command.importlib, "import_module", lambda _: pytest.fail("it measures"))
    with pytest.raises(SystemExit):
        command.main(["optimality", "peers", "--tiny"])
    assert "peers needs multi_freq_ldpy, pure_ldp" in capsys.readouterr().err
