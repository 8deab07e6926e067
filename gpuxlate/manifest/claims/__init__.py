"""Objects of claims on devices (``resource.k8s.io``): reading them, and writing new ones."""
