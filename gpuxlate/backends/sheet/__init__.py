"""Dialects as sheets of rows: reading, writing, rules and texts that follow from the rows."""
