"""The rules of HAMi: every Rule in a module of this package. Codes are those of this tool."""
