"""Collect from simulated phones in Python, from a survey file to an estimate.

python examples/collect_phones.py
"""

from pathlib import Path

import numpy as np

import harmony as hm

survey = hm.Survey.load(Path(__file__).with_name("phones.yaml"))

random = np.random.default_rng(7)
phones = 100_000
people = {
    "battery": random.uniform(20, 90, phones),
    "brightness": 100 * random.beta(2, 3, phones),
    "theme": random.choice(["light", "dark", "auto"], phones, p=[0.5, 0.3, 0.2]),
    "location": random.random(phones) < 0.6,
    "sims": random.choice(3, phones, p=[0.1, 0.7, 0.2]),
}

tally = survey.collect(people, seed=7)  # without a seed, the noise cannot be repeated or undone
result = survey.estimate(tally)

print(result)
print()
print(f"A report spends {hm.audit(survey).epsilon!r}, proved exactly.")
low, high = result["battery"].interval(0.95)
print(f"Mean battery: {low:.1f} to {high:.1f}; in truth {people['battery'].mean():.1f}.")
