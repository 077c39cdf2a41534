"""Schedules: rounds that follow the calendar, in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

SCHEDULES = ("hourly", "daily", "weekly", "monthly")

LONGEST_ROUND = timedelta(days=3653).total_seconds()
"""How far ahead a round may close: ten years."""

LAST_MOMENT = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
"""Times after this one cannot be shown."""


@dataclass(frozen=True)
class Period:
    """One round of a schedule: its label and when it is over."""

    label: str
    end: float


def period_at(schedule: str, now: float) -> Period:
    """Return the period of `schedule` that `now` (Unix seconds) falls in.

    >>> period_at("weekly", 1763164800.0).label
    '2025-W46'
    """
    moment = datetime.fromtimestamp(now, UTC)
    hour = moment.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    if schedule == "hourly":
        return Period(hour.strftime("%Y-%m-%dT%H"), (hour + timedelta(hours=1)).timestamp())
    if schedule == "daily":
        return Period(day.strftime("%Y-%m-%d"), (day + timedelta(days=1)).timestamp())
    if schedule == "weekly":
        year, week, weekday = day.isocalendar()
        return Period(f"{year}-W{week:02}", (day + timedelta(days=8 - weekday)).timestamp())
    if schedule == "monthly":
        next_month = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
        return Period(day.strftime("%Y-%m"), next_month.timestamp())
    raise ValueError(f"'schedule' must be one of {', '.join(SCHEDULES)}")
