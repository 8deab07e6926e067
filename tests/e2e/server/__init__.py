"""A real Kubernetes API server on loopback: built once, then started for tests."""
