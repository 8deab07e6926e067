"""Claims on devices (``resource.k8s.io``): what they request, and their names."""
