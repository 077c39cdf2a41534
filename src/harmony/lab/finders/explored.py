"""An exploration of a crowd: the explorer that ships, told counts as the other finders are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...bulk.columns import SpelledTexts
from ...bulk.text_places import places_of
from ...exploration.definition import Exploration
from ...exploration.explorer import Explorer
from ...exploration.findings import Findings
from ...mechanisms.linear import Linear
from ...text import Text, TextPlaces
from .crowd import Crowd, support


@dataclass(frozen=True)
class Explored:
    """What an exploration of a text finds; n, epsilon and its length decide how it goes about it.

    >>> from harmony.text_code import TextCode
    >>> text = Text("word", bits=12, code=TextCode.uniform("abcdefghijklmno"))
    >>> codes = [int(text.code.bits(word, 12), 2) << 52 for word in ("cab", "mad")]
    >>> crowd = Crowd(np.array(codes, np.uint64), np.array([40_000, 9_000]), bits=12)
    >>> found = Explored(text).findings(crowd, 2.0, 4, 0.1, np.random.default_rng(1))
    >>> [one.text for one in found]
    ['cab', 'mad']
    """

    text: Text

    def findings(
        self, crowd: Crowd, epsilon: float, wanted: int, mistakes: float, rng: np.random.Generator
    ) -> Findings:
        """Run the exploration, each step with as many devices as it asks for."""
        exploration = Exploration(
            "crowd", self.text, epsilon, crowd.devices, wanted, mistakes, never=()
        )
        explorer = Explorer(exploration)
        spelled = SpelledTexts(crowd.codes, np.ones(len(crowd.codes), np.bool_))
        while (step := explorer.step) is not None:
            group, crowd = crowd.taken(step.devices, rng)
            (asked,), (linear,) = step.survey.attributes, step.survey.mechanisms[0]
            assert isinstance(asked, TextPlaces)
            assert isinstance(linear, Linear)
            places = places_of(spelled, asked).astype(np.int64)
            explorer.learn_from(support(group.counts, places, len(asked.values), linear, rng))
        assert explorer.findings is not None
        return explorer.findings
