"""Surveys: what the aggregator asks, and what becomes of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .design import Design
from .over_time import Cost, cost_of
from .rounds import Round

if TYPE_CHECKING:
    import pyarrow as pa

    from .bulk.columns import TableLike
    from .estimate.result import Result
    from .plan import Plan
    from .shapes import Shape
    from .tally import Tally


class Survey(Design):
    """Named attributes, an epsilon, and how many of the attributes each report answers.

    `tiers` offers several epsilons: each device picks one, and its reports carry the choice.
    `answers` is chosen for least error unless given.  With `balance`, which is the rule except
    for the paper's own mechanism, attributes are asked in proportion to the variance of an
    answer about them, so that all estimates are equally good; their `weight` counts on top.
    `crosstabs` adds the joint tables of pairs of attributes: those that it lists by their names,
    or "all"; `plan` says how many devices that takes.  `purpose` says to people what their
    answers are for; its words, and the question of each attribute, are part of the document.
    Given a whole `document`, its coins and tables are taken instead of being designed.

    Over many rounds: with `every`=T a device answers one of every T rounds, which the coin picks;
    with `memory` it answers from a permanent randomised answer, so that all rounds of an answer
    that never changes cost that much at most.  `cost` says what rounds cost.

    `questions` are the attributes as they were asked for; `attributes` are those that devices
    answer, with several for each distribution.

    >>> import harmony as hm
    >>> survey = Survey("phones", epsilon=1.0, attributes=[
    ...     hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])])
    >>> survey
    <Survey 'phones': 2 attributes, epsilon 1, 1 answer a report>
    """

    def __repr__(self) -> str:
        attributes = _plural(len(self.questions), "attribute")
        spent = "/".join(f"{tier:g}" for tier in self.tiers)
        answers = _plural(self.answers, "answer")
        drafted = f"; to review: {', '.join(self.draft.to_review)}" if self.draft else ""
        turns = "" if self.every is None else f", one of every {self.every} rounds"
        memory = "" if self.memory is None else f", memory {self.memory:g}"
        return (
            f"<Survey {self.name!r}: {attributes}, epsilon {spent}{memory}, {answers} a report"
            f"{turns}{drafted}>"
        )

    def _repr_html_(self) -> str:
        from .estimate.notebook import survey_html

        return survey_html(self)

    def cost(self, rounds: int) -> Cost:
        """Return what so many rounds cost the owner of a device that answers whenever asked.

        >>> from harmony import Numeric
        >>> survey = Survey("phones", [Numeric("battery", 0, 100)], 1.0, memory=2)
        >>> print(survey.cost(rounds=52))
        52 reports in 52 rounds, epsilon 2 if the answer never changes, 166.5 at worst
        """
        return cost_of(self, rounds)

    @classmethod
    def from_frame(
        cls,
        table: TableLike,
        epsilon: float,
        *,
        name: str = "draft",
        columns: Sequence[str] | None = None,
    ) -> Survey:
        """Draft a survey from a table's columns, to be reviewed: see `draft` and `to_code`.

        Ranges and values are read off the data, which tells about the people in it: a
        `PrivacyLeakWarning` says of which columns.

        >>> import harmony as hm
        >>> draft = Survey.from_frame({"wifi": [True, False]}, epsilon=1.0, name="phones")
        >>> print(draft.to_code())
        hm.Survey("phones", epsilon=1, attributes=[
            hm.Boolean("wifi"),
        ])
        """
        from .draft import draft_attributes, warn_of_draft

        attributes, draft = draft_attributes(table, columns)
        survey = cls(name, attributes, epsilon)
        survey.draft = draft
        warn_of_draft(draft)
        return survey

    def to_code(self) -> str:
        """Return the Python code that builds this survey, with a comment on what to review."""
        from .draft import survey_code

        return survey_code(self)

    def randomize(
        self,
        table: TableLike,
        seed: int | None = None,
        *,
        round: Round | None = None,
        tiers: Any = None,
        first: int = 0,
        strict: bool = False,
        as_devices: bool = False,
        progress: bool | None = None,
    ) -> pa.Table:
        """Randomise one report a row, as the devices would, and return them as an Arrow table.

        Numbers outside their range are clipped and counted in a warning, or refused with
        `strict`.  Values that are missing, not listed or of another type are refused where the
        attribute names nothing that stands for them; with `as_devices` every value has an answer,
        as on a device, where such people answer at random.  Randomness comes from the operating
        system unless `seed` asks for a reproducible simulation.  Row i is device number
        `first` + i.
        """
        from .bulk.collect import Randomizer, randomize

        devices = Randomizer(
            self,
            table,
            seed,
            round=round,
            tiers=tiers,
            first=first,
            strict=strict,
            as_devices=as_devices,
        )
        return randomize(devices, progress)

    def tally(self, reports: pa.Table, round: Round | None = None) -> Tally:
        """Count an Arrow table of reports; the round is read from its metadata if not given."""
        from .bulk.count_reports import tally_reports

        return tally_reports(self, reports, round)

    def collect(
        self,
        table: TableLike,
        seed: int | None = None,
        *,
        round: Round | None = None,
        tiers: Any = None,
        first: int = 0,
        strict: bool = False,
        as_devices: bool = False,
        progress: bool | None = None,
        threads: int | None = None,
    ) -> Tally:
        """Randomise and count in one pass: `tally(randomize(...))` without the reports between.

        With rotation only the rows count whose turn it is in `round`, which needs a number.  With
        memory each collection is a round of its own, with memos drawn anew: it costs `epsilon`.

        All cores are used unless `threads` says otherwise; the result is the same.  See
        `randomize` for the other options.

        >>> import harmony as hm
        >>> survey = Survey("phones", [hm.Numeric("battery", 0, 100)], epsilon=1.0)
        >>> survey.collect({"battery": [20.0, 35.5, 90.0]}, seed=7).reports
        3
        >>> survey.collect({"battery": [20.0, None, "full"]}, seed=7, as_devices=True).reports
        3
        """
        from .bulk.collect import Randomizer, collect

        devices = Randomizer(
            self,
            table,
            seed,
            round=round,
            tiers=tiers,
            first=first,
            strict=strict,
            as_devices=as_devices,
        )
        return collect(devices, progress, threads)

    def estimate(
        self,
        tally: Tally | Mapping[Any, Tally] | None = None,
        *,
        tallies: Sequence[Tally] | None = None,
        too_wide: float = 0.2,
        dishonest: float = 0.01,
        weighting: str = "devices",
        population: Mapping[Any, float] | None = None,
    ) -> Result:
        """Turn a tally into means and histograms with intervals.

        With `tallies`, those of several rounds, what is estimated is the average over the rounds;
        the result warns of attributes that changed meanwhile.

        An estimate whose 95% interval is wider than `too_wide` of its domain says "too few
        reports to say".  `dishonest` is the share of devices that `influence` supposes to lie.
        `weighting` is how tiers combine: by the number of their "devices", or by "precision",
        which is narrower but right only if devices of all tiers would answer alike.

        `population` weighs strata that the server knows of (app versions, countries) to their
        known shares; `tally` is then a mapping of strata to tallies.

        >>> from harmony import Boolean
        >>> survey = Survey("phones", [Boolean("wifi")], epsilon=2.0)
        >>> week = Round("2026-W46", bytes(16))
        >>> versions = {
        ...     "old": survey.collect({"wifi": [True] * 9_000 + [False] * 1_000}, 7, round=week),
        ...     "new": survey.collect({"wifi": [True] * 300 + [False] * 700}, 8, round=week),
        ... }
        >>> weighted = survey.estimate(versions, population={"old": 0.5, "new": 0.5})
        >>> f"{weighted.histogram('wifi').frequencies[True]:.2f}"
        '0.62'
        """
        from .estimate import estimate

        return estimate(
            self,
            tally,
            tallies=tallies,
            too_wide=too_wide,
            dishonest=dishonest,
            weighting=weighting,
            population=population,
        )

    def plan(
        self,
        devices: int | None = None,
        error: float | None = None,
        confidence: float = 0.95,
        shape: Shape | None = None,
    ) -> Plan:
        """Predict the error of every estimate for `devices`, or the devices an `error` needs.

        Errors are half-widths of intervals, as a share of the attribute's range (numeric) or
        in frequency (categorical).  They depend on how the values are spread: the plan shows them
        for evenly spread ones and at worst, and an `error` is met at worst.  With `shape`,
        it is "even" or "worst" that counts, or what is expected of the attributes that are
        named: the frequencies of values, or a list of numbers like those to come.

        >>> from harmony import Integer
        >>> survey = Survey("apps", [Integer("app", 0, 49)], 4.0)
        >>> [survey.plan(error=0.01, shape=shape).devices for shape in ("even", "worst")]
        [2060, 35775]
        >>> survey.plan(devices=5_000, shape={"app": [0.51] + [0.01] * 49}).errors[0].error
        0.019...
        """
        from .plan import plan

        return plan(self, devices=devices, error=error, confidence=confidence, shape=shape)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
