"""Dialects that are a sheet of rows: how their pods are read and written, their rules and texts, from the rows."""
