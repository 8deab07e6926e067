"""Packing pods on cards and nodes: the rules of one card, best-fit, an exact search, and lower bounds.

A pod's containers go to one node, each container to as many different cards of it as it requests.
"""
