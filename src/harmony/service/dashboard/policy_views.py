"""What pages say about retention and spending: pure functions of entries and times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harmony.service.api.models import RoundDetail
from harmony.service.catalogue import RoundEntry, SurveyEntry
from harmony.service.retention import DAY

from .rendering import shown_moment

ROUND_COLUMNS = (
    "round", "opened", "closed", "reports", "retention_days", "reports_until", "reports_dropped",
)  # fmt: skip


def days(count: int) -> str:
    """Write a number of days.

    >>> days(1), days(30)
    ('1 day', '30 days')
    """
    return f"{count:,} day" + ("" if count == 1 else "s")


def retention_sentence(retention: int, kind: str) -> str:
    """Say how long reports are kept.

    >>> retention_sentence(0, "survey")
    'Reports are dropped when a round closes; its counts stay.'
    >>> retention_sentence(1, "exploration")
    'Reports are kept for 1 day after the exploration has ended, then dropped; counts stay.'
    """
    is_survey = kind == "survey"
    if not retention:
        end = "a round closes; its" if is_survey else f"the {kind} has ended; the"
        return f"Reports are dropped when {end} counts stay."
    ended = "their round was closed" if is_survey else f"the {kind} has ended"
    return f"Reports are kept for {days(retention)} after {ended}, then dropped; counts stay."


def kept_sentence(entry: RoundEntry) -> str:
    """Say what becomes, or became, of the reports of one round."""
    if entry.dropped is not None:
        return f"Its reports were dropped on {shown_moment(entry.dropped)}; its counts stay."
    if entry.closed is not None:
        until = shown_moment(entry.closed + DAY * entry.retention)
        return f"Its reports are kept until {until}."
    if not entry.retention:
        return "Its reports are dropped when it closes."
    return f"Its reports are kept until {days(entry.retention)} after it closes."


def round_policies(entry: SurveyEntry, reports: Mapping[int, int]) -> list[dict[str, Any]]:
    """Return a row for each round, newest first: until when its reports are kept."""
    rows = []
    for label, one in reversed(entry.rounds.items()):
        shown = RoundDetail.of_entry(one)
        rows.append(
            {
                "round": label,
                "opened": shown.opened,
                "closed": shown.closed,
                "reports": reports.get(one.live.id, 0),
                "retention_days": one.retention,
                "reports_until": shown.reports_until,
                "reports_dropped": shown.reports_dropped,
                "kept": kept_sentence(one),
            }
        )
    return rows
