"""YAML as text: nodes with their positions, edits as verified splices. Knows nothing of Kubernetes."""
