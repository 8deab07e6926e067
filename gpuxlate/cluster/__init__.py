"""Live clusters: the objects of an API server, read and applied. Only this folder imports kubernetes."""
