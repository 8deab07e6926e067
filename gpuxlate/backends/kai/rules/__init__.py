"""The rules of KAI that its rows do not say: every Rule in a module of this package."""
