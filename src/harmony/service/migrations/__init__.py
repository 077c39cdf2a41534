"""The schema's versions, and the check that a database has one that this Harmony knows."""
