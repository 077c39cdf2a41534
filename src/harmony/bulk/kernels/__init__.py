"""What is compiled: coins, which see no value; answers, which do; and counts of what was sent."""
