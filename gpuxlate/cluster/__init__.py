"""Live clusters: the objects of an API server, read and applied. Only this room imports kubernetes."""
