"""Targets: one folder or file for each, found by name in ``registry``."""
