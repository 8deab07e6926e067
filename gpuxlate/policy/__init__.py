"""Admission policies from the rules: what lint finds in files, the API server finds in requests."""
