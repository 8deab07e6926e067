"""Cards, nodes and room: what runs where, what still fits, what nodes and containers need to have."""
