"""Many devices at once: coins, codes, tables and counts over whole columns, on all cores."""
