"""Bad files: one or two lines that tell the fix, exit code 2, never a private value."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

HEAD = "battery,theme,wifi,sims\n"
SECRET = "s3cr3t"
BAD = {
    "a word among the numbers": ("a.csv", f"{HEAD}{SECRET},dark,true,1\n", "column 'battery'"),
    "an unknown category": ("a.csv", f"{HEAD}5,{SECRET},true,1\n", "theme: row 0"),
    "no number": ("a.csv", f"{HEAD},dark,true,1\n", "battery: row 0 holds no finite number"),
    "a missing column": ("a.csv", f"battery,wifi,sims,x\n5,true,1,{SECRET}\n", "'theme' is miss"),
    "no header": ("a.csv", f"5,{SECRET},true,1\n", "the first line must name the columns"),
    "a column twice": ("a.csv", f"sims,{HEAD}1,5,dark,true,1\n", "two columns are called 'sims'"),
    "a long line": ("a.csv", f"{HEAD}5,dark,true,1,{SECRET}\n", "5 fields where the first has 4"),
    "an empty file": ("a.csv", "", "is missing"),
    "a header alone": ("a.csv", HEAD, "no rows"),
    "a wrong type": (
        "a.ndjson", f'{{"battery": "{SECRET}", "wifi": true, "sims": 1}}', "column 'battery'",
    ),
    "a line of no JSON": ("a.ndjson", f"{{{SECRET}", "must be a JSON object"),
    "an object alone": ("a.json", f'{{"battery": "{SECRET}"}}', "list of objects"),
    "a wrong type in a list": (
        "a.json", f'[{{"battery": "{SECRET}", "wifi": true, "sims": 1}}]', "column 'battery'",
    ),
    "a list of nothing": ("a.json", "[]", "no rows"),
    "no Parquet": ("a.parquet", SECRET, "not a .parquet file"),
    "another kind of file": ("a.xlsx", SECRET, "the name must end in"),
}  # fmt: skip


@pytest.mark.parametrize("problem", BAD)
@pytest.mark.parametrize("out", ["out.tally", "out.parquet"])
def test_bad_people_files_are_refused_without_quoting_them(
    run: Run, files: Path, problem: str, out: str
) -> None:
    name, text, said_about_it = BAD[problem]
    (files / name).write_text(text)
    said = run("simulate", "phones.yaml", name, "-o", out)
    assert said.exit_code == 2
    assert said.stdout == ""
    assert said_about_it in said.stderr
    assert said.stderr.startswith(f"error: {name}: ")
    assert len(said.stderr.splitlines()) <= 2
    assert SECRET not in said.stderr
    assert not list(files.glob("*out.*"))


def test_text_that_is_not_utf8_is_refused(run: Run, files: Path) -> None:
    (files / "a.csv").write_bytes(b"b\xe4ttery,theme\n")
    said = run("simulate", "phones.yaml", "a.csv", "-o", "out.tally")
    assert said.exit_code == 2
    assert "UTF-8" in said.stderr


def test_a_later_part_says_where_its_rows_are_counted_from(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("LEAST_ROWS", 2), ("MOST_ROWS", 2), ("BLOCK_BYTES", 40)):
        monkeypatch.setattr(f"harmony.cli.data_files.{name}", size)
    (files / "a.csv").write_text(HEAD + "5,dark,true,1\n" * 7 + "5,pink,true,1\n")
    said = run("simulate", "phones.yaml", "a.csv", "-o", "out.tally")
    assert "theme: row " in said.stderr
    assert "rows counted from row " in said.stderr


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("00,0,1,week,00", "device"),
        ("x" * 32 + ",0,1,week,00", "hexadecimal"),
        ("00" * 16 + ",0,1,week,", "'seed' must say the same"),
        ("00" * 16 + ",0,9,week,00", ""),
        ("00" * 16 + ",0,,week,00", ""),
    ],
)
def test_bad_report_files_are_refused(run: Run, files: Path, line: str, fix: str) -> None:
    head = "device,tier,symbol_0,round,seed,fingerprint\n"
    (files / "r.csv").write_text(f"{head}{line},abc\n")
    said = run("tally", "phones.yaml", "r.csv", "-o", "out.tally")
    assert said.exit_code == 2
    assert fix in said.stderr
    assert not (files / "out.tally").exists()


def test_people_are_not_reports(run: Run, files: Path) -> None:
    said = run("tally", "phones.yaml", "people.parquet", "-o", "out.tally")
    assert said.exit_code == 2
    assert "column 'device' is missing" in said.stderr


@pytest.mark.parametrize("out", ["nowhere/out.tally", "nowhere/out.parquet", "out.txt"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    run: Run, files: Path, out: str
) -> None:
    said = run("simulate", "phones.yaml", "not-even-there.csv", "-o", out)
    assert said.exit_code == 2
    assert said.stderr.startswith(f"error: {out}: ")
