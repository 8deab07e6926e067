"""Checking texts by the rules, fixing what can be fixed, and leaving out what an ignore names."""
