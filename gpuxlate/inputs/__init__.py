"""Files: which ones, read within limits, and written old or new, never half."""
