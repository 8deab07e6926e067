"""The rules of ACK: every Rule in a module of this package.

ACK009 is GX013, ACK012 is K8S003; no manifest can show ACK018.
"""
