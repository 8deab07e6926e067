"""Charts: their values as pods, there and back, and broken ones."""
