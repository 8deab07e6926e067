"""Quotas, ranges of limits and queues: the amounts of resources that they set, read and translated."""
