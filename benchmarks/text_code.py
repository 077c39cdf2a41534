"""Make the text code that explorations use: `python benchmarks/text_code.py`.

It is fitted to texts that are composed of public lists of English words and of names (those of
the package zxcvbn, which must be installed): words, phrases, sites, pages, words with numbers.
What matters is which characters follow which, so that common texts take few bits; whatever
else people write can be spelled, too, in more bits.  The strings that benchmarks look for come from
another list.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import accumulate
from pathlib import Path
from random import Random

from harmony.text_code import TextCode

CODE = Path(__file__).parents[1] / "src/harmony/text_code.json"
LISTS = ("english_wikipedia", "us_tv_and_film", "surnames", "female_names", "male_names")
ENDINGS = {
    ".com": 50, ".org": 10, ".net": 7, ".de": 5, ".co.uk": 4, ".fr": 3, ".ru": 3, ".io": 3,
    ".com.br": 2, ".it": 2, ".es": 2, ".nl": 2, ".pl": 2, ".jp": 2, ".edu": 2, ".gov": 1,
}  # fmt: skip
COMPOSED = 20_000
"""How many texts of each kind are composed."""

CONTEXTS = 160


def public_words() -> dict[str, float]:
    """Return words and names with a weight that falls with their rank."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    weights: dict[str, float] = defaultdict(float)
    for name in LISTS:
        for rank, word in enumerate(FREQUENCY_LISTS[name]):
            weights[word] += 1 / (rank + 10)
    return weights


def composed(words: dict[str, float], draw: Random) -> dict[str, float]:
    """Return texts of every kind; each kind weighs as much as the words, or a part of it."""
    listed, running = list(words), list(accumulate(words.values()))

    def some() -> str:
        return draw.choices(listed, cum_weights=running)[0]

    def ending() -> str:
        return draw.choices(list(ENDINGS), list(ENDINGS.values()))[0]

    def number() -> str:
        return str(draw.randrange(10 ** draw.randint(1, 4)))

    kinds = {
        lambda: f"{some()} {some()}": 0.3,
        lambda: f"{some()} {some()} {some()}": 0.1,
        lambda: f"{some()}{ending()}": 0.2,
        lambda: f"{some()}{some()}{ending()}": 0.1,
        lambda: f"www.{some()}{ending()}": 0.1,
        lambda: f"{some()}{ending()}/{some()}": 0.1,
        lambda: f"{some()}-{some()}": 0.05,
        lambda: f"com.{some()}.{some()}": 0.05,
        lambda: f"{some()} {number()}": 0.05,
        lambda: f"{some()}{number()}": 0.05,
        lambda: f"{number()}.{number()}.{number()}": 0.03,
    }
    total, texts = running[-1], defaultdict(float, words)
    for compose, share in kinds.items():
        for _ in range(COMPOSED):
            texts[compose()] += share * total / COMPOSED
    return texts


def main() -> None:
    """Fit the code and write it."""
    code = TextCode.fit(composed(public_words(), Random(1)), CONTEXTS)
    written = json.dumps(code.contexts, separators=(",", ":")).replace("],", "],\n")
    CODE.write_text(f"{written}\n", encoding="utf-8")
    print(f"{code} in {len(written):,} bytes")
    for text in ("the", "weather", "google.com", "www.wikipedia.org", "new york", "android 14"):
        print(f"{text}: {code.size(text)} bits")


if __name__ == "__main__":
    main()
