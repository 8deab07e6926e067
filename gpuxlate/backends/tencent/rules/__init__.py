"""The rules of TKE qGPU: every Rule in a module of this package. Codes number the rows of the facts.

TKE009 is K8S003, TKE013 is K8S006, TKE015 is GX013, TKE017 is K8S007; TKE004 and TKE019 say what
100 x N means, so there is nothing to check.
"""
