"""Manifests: source text, positions, documents, pods and edits. The only place that knows YAML."""
