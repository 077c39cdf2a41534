"""The relational expression compiles for warehouses that we cannot run here."""

from __future__ import annotations

import ibis
import pytest
import sqlglot

from harmony.engines.relational import cells_by_count

SCHEMA = {
    "device_low": "int64", "device_high": "int64", "number": "int64", "cell_0": "int32",
    "cell_1": "int32", "day": "date",
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "trino", "postgres", "clickhouse"])
@pytest.mark.parametrize("names", [["cell_0"], ["cell_0", "cell_1"]])
def test_every_warehouse_gets_plain_sql(dialect: str, names: list[str]) -> None:
    """Its own dialect's parser reads it, and it holds nothing but a window, a union, a group-by."""
    reports = ibis.table(SCHEMA, name="reports")
    sql = ibis.to_sql(cells_by_count(reports, names, trusted=False), dialect=dialect)
    (parsed,) = sqlglot.parse(sql, dialect=dialect)
    called = {one.sql_name() for one in parsed.find_all(sqlglot.exp.Func)}
    assert called <= {"ROW_NUMBER", "COUNT", "CAST", "SAFE_CAST", "TRY_CAST", "AND"}, called


def test_the_same_rows_give_the_same_counts_in_plain_sql() -> None:
    """What is compiled is what runs: on DuckDB, rows by hand."""
    rows = [
        {"device_low": 1, "device_high": 1, "number": 1, "cell_0": 4, "day": "2026-11-09"},
        {"device_low": 1, "device_high": 1, "number": 0, "cell_0": 5, "day": "2026-11-09"},
        {"device_low": 1, "device_high": 2, "number": 9, "cell_0": 5, "day": "2026-11-08"},
        {"device_low": 1, "device_high": 2, "number": 0, "cell_0": 6, "day": "2026-11-09"},
    ]
    reports = ibis.memtable(rows)
    counted = cells_by_count(reports, ["cell_0"], trusted=False).to_pyarrow()
    assert dict(zip(*counted.to_pydict().values(), strict=True)) == {5: 2}
    everything = cells_by_count(reports, ["cell_0"], trusted=True).to_pyarrow()
    assert sum(everything["answers"].to_pylist()) == 4
