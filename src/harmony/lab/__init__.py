"""The lab: the paper's baselines and experiments, simulated populations, audits that attack."""
