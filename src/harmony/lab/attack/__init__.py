"""Audits that attack: black-box lower bounds on epsilon, and poisoning."""

from .blackbox import EpsilonBound, Sampler, attack, clopper_pearson
from .duchi import DuchiFinding, examine_duchi
from .everything import Findings, attack_everything
from .poisoning import Poisoning, measure_poisoning
from .samplers import baseline_sampler, binned_sampler, device_sampler, process_sampler
from .survey import attack_survey

__all__ = [
    "DuchiFinding",
    "EpsilonBound",
    "Findings",
    "Poisoning",
    "Sampler",
    "attack",
    "attack_everything",
    "attack_survey",
    "baseline_sampler",
    "binned_sampler",
    "clopper_pearson",
    "device_sampler",
    "examine_duchi",
    "measure_poisoning",
    "process_sampler",
]
