"""Admission policies of a cluster, from the rules: what lint finds in files, the API server finds in requests."""
