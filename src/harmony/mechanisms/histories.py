"""What all rounds of a survey with memory cost together: a bound over histories.

A history is the index that a device answers in each of T rounds; its *parts* are the rounds with
one index.  Write P for the memo's table and Q for what is sent given what is kept.  The parts are
independent, since memos are: a part with index a and rounds S has the likelihood

    F(a, S) = sum over memos m of P[a][m] * product over t in S of Q[m][y_t].

**Another answer for a whole part** costs `memory`: P[a][m] <= e^memory P[b][m] for every m, so
F(a, S) <= e^memory F(b, S).  Parts that get other answers must stay apart from each other.

**Another answer in a round** costs `change`: rounds may be taken in any order, so begin with those
in which two histories agree, which are equally likely under both.  Each of the others then has,
given what was seen before, the probability of an average over memos of Q[m][y_t], which lies
between the least and the largest entry of that column, under both histories: within e^change.

So two histories of which c parts need other answers, and then d rounds, until they are the same,
are within **c * memory + d * change**.  An answer that never changes has c = 1 and d = 0.  If they
differ in all T rounds, the first report keeps `epsilon` by itself: epsilon + (T - 1) * change.

Nothing much smaller is true: if each of two answers was given for long, both memos are known, and
then each round in which the histories differ tells `change`.  See `lab.histories`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TRIED = 32
"""How many indices get other names, at most, unless all do."""


@dataclass(frozen=True)
class MemoryCosts:
    """What reports of a survey with memory cost: one alone, all of one answer, one of another.

    >>> costs = MemoryCosts(epsilon=1.0, memory=2.0, change=1.408, inputs=2)
    >>> costs.between([0] * 8, [1] * 8)  # an answer that never changes
    2.0
    >>> round(costs.between([0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 1, 1, 1]), 3)
    7.04
    >>> round(costs.worst(8), 3)  # over all pairs of histories
    7.04
    """

    epsilon: float
    memory: float
    change: float
    inputs: int

    def between(self, first: Sequence[int], second: Sequence[int]) -> float:
        """Return the bound on how well the reports of two histories can be told apart."""
        rounds = len(first)
        if list(first) == list(second):
            return 0.0
        bounds = [self._relabelled(first, second), self._relabelled(second, first)]
        if all(one != other for one, other in zip(first, second, strict=True)):
            bounds.append(self.epsilon + (rounds - 1) * self.change)
        return min(bounds)

    def _relabelled(self, first: Sequence[int], second: Sequence[int]) -> float:
        """Give the parts of one history other answers, all different, and change what is left."""
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        size = 1 + max(*first, *second)
        together = np.zeros((size, size))
        np.add.at(together, (list(first), list(second)), 1)
        moved = self.memory * (together.sum(axis=1, keepdims=True) > 0) * (1 - np.eye(size))
        cost = moved - self.change * together
        rows, columns = linear_sum_assignment(cost)
        return float(cost[rows, columns].sum()) + self.change * len(first)

    def worst(self, rounds: int) -> float:
        """Return the bound over all pairs of histories of so many rounds.

        Give m of the g indices other names, which costs `memory` for each of their parts.  Over
        all ways to do so, a round in which histories agree still does in (g - m) of g, and one in
        which they differ then agrees in m of g (g - 1).  So some way makes at least as many rounds
        agree as the average does, rounded up; the least cost over all m counts, for the number of
        rounds that agree as they are at which it is largest.
        """
        import numpy as np

        if rounds < 1:
            return 0.0
        g, agreeing = self.inputs, np.arange(rounds)
        least = (rounds - agreeing) * self.change
        # Where all rounds differ, the first keeps epsilon by itself.
        least[0] = min(least[0], self.epsilon + (rounds - 1) * self.change)
        for moved in {*range(2, min(g, TRIED) + 1), g}:
            average = agreeing * ((g - moved) / g) + (rounds - agreeing) * (moved / (g * (g - 1)))
            changes = rounds - np.ceil(average - 1e-9)
            least = np.minimum(least, min(moved, rounds) * self.memory + changes * self.change)
        return float(least.max())

    def steady(self, rounds: int) -> float:
        """Return the bound over answers that never change."""
        return min(self.memory, self.worst(rounds)) if rounds > 1 else self.epsilon * rounds
