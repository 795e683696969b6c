"""Nobody imports this."""
