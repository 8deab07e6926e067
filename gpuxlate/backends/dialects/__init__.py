"""Dialects of one file each, and one of a folder: rows, and seldom a function beside them."""
