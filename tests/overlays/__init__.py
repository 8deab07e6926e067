"""Overlays of kustomize: patches over their bases."""
