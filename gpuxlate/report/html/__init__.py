"""Results as one HTML page each: no script, nothing from elsewhere, every text escaped."""
