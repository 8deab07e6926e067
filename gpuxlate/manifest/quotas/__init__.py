"""Amounts of resources outside of pods: quotas, ranges of limits, queues."""
