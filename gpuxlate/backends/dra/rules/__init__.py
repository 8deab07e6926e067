"""Rules on claims of the drivers."""
