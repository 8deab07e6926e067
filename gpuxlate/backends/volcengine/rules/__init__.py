"""The rules of Volcengine VKE mGPU: every Rule in a module of this package is one.

Rows 1, 2 and 8 of the vendor's rules are K8S001 to K8S005; rows 15 and 27 are no predicates.
"""
