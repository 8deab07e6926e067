"""The rules of Volcano vGPU: every Rule in a module of this package. Codes are those of this tool."""
