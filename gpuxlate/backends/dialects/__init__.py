"""Dialects of one file each: rows, and seldom a function beside them."""
