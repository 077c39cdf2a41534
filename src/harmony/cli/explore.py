"""`harmony explore`: the strings that are common in people's texts, each row randomised first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import HarmonyError, SurveyError
from .loading import check_out
from .options import Json, Seed
from .terminal import busy, columns, console, note, reporting, say, say_json

if TYPE_CHECKING:
    from ..bulk.columns import SpelledTexts
    from ..exploration import Exploration, Findings

OUT = (".json", ".csv")


@reporting
def explore(
    exploration: Annotated[
        Path, typer.Argument(metavar="EXPLORATION", help="What to look for (.json, .yaml)")
    ],
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATA]",
            help="People's texts, one row a device (.csv, .tsv, .parquet, .json, .ndjson)",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write the strings (.json, .csv)"),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say how common a string must be to be found.")
    ] = False,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Find the common strings of a text that nobody listed the values of.

    Each device answers once. What one person alone has is not found.

    [bold]Examples[/bold]
    \b
    harmony explore pages.yaml --plan
    harmony explore pages.yaml people.parquet
    harmony explore pages.yaml people.csv -o pages.csv --seed 7
    """
    asked = _load(exploration)
    if plan:
        planned = asked.plan()
        if json:
            say_json(planned.to_dict())
        else:
            say(repr(planned))
        return
    if table is None:
        raise HarmonyError("give a file of people's texts, or --plan")
    if out is not None:
        check_out(out, OUT)
    found = _run(asked, _read(table, asked, seed), seed)
    if out is not None:
        out.write_text(found.to_csv() if out.suffix == ".csv" else found.to_json(), "utf-8")
    if json:
        say_json(found.to_document())
        return
    _show(found)
    if out is not None:
        say(f"-> {out}")


def _load(path: Path) -> Exploration:
    from ..exploration import Exploration
    from ..files import read_structured

    try:
        return Exploration.from_document(read_structured(path))
    except SurveyError as problem:
        raise type(problem)(f"{path}: {problem}") from None


def _read(path: Path, asked: Exploration, seed: int | None) -> SpelledTexts:
    import pyarrow as pa

    from ..exploration.collecting import read_texts
    from .data_files import read_parts

    name = asked.text.name
    with busy("Reading people's texts"):
        parts = read_parts(path, {name: pa.string()}, optional=[name])
        return read_texts(pa.concat_tables(part.table for part in parts), asked, seed)


def _run(asked: Exploration, texts: SpelledTexts, seed: int | None) -> Findings:
    from dataclasses import replace

    from ..exploration.collecting import run

    if len(texts) != asked.devices:
        note(f"the table has {len(texts):,} rows, so that many devices take part")
    findings = run(replace(asked, devices=len(texts)), texts, seed).findings
    assert findings is not None
    return findings


def _show(found: Findings) -> None:
    from rich.text import Text

    screen = console()
    screen.print(Text(found.title, style="bold"))
    table = columns("string", ">share", ">95% interval")
    for name, share, interval in found.written():
        table.add_row(Text(name, style="cyan"), share, interval)
    screen.print(table)
    screen.print(found.promise)
