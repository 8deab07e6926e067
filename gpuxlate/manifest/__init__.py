"""Kubernetes in documents: objects, kinds, pods and their keys. Knows no vendor."""
