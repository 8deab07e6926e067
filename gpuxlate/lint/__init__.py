"""Check texts by the rules, apply fixes, and suppress ignored findings."""
