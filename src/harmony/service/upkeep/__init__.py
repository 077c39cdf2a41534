"""Upkeep: what operators do to a database, whether its server runs or not."""
