"""Input and output files: finding them, reading within limits, atomic writes."""
