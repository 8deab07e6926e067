"""Overlays of other files: the role of each file, kustomizations and their patches, values of charts."""
