"""Benchmarks: accuracy beside the best rivals, speed beside simple code and other libraries."""
