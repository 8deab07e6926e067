"""Quotas, ranges of limits and queues: amounts of resources outside of pods, by the rows of the sheets."""
