"""The rules of NVIDIA's own sharing, by target."""
