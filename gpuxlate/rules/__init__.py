"""Rules: how they are declared, found and explained, and those that belong to no vendor."""
