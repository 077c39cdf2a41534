"""Audits that attack: black-box lower bounds on epsilon, and poisoning."""

from .averaging import Averaging, average_rounds, guess_bound
from .blackbox import EpsilonBound, Sampler, attack, clopper_pearson
from .duchi import DuchiFinding, examine_duchi
from .everything import Findings, attack_everything
from .poisoning import Poisoning, measure_poisoning
from .samplers import baseline_sampler, binned_sampler, device_sampler, process_sampler
from .survey import attack_survey, tried_records

__all__ = [
    "Averaging",
    "DuchiFinding",
    "EpsilonBound",
    "Findings",
    "Poisoning",
    "Sampler",
    "attack",
    "attack_everything",
    "attack_survey",
    "average_rounds",
    "baseline_sampler",
    "binned_sampler",
    "clopper_pearson",
    "device_sampler",
    "examine_duchi",
    "guess_bound",
    "measure_poisoning",
    "process_sampler",
    "tried_records",
]
