"""Moved to ``gpuxlate.backends.pod_reader``; here until 0.3, for plug-ins."""

from gpuxlate.backends.pod_reader import number, outside, put_number, requesting, whole_numbers, written_name

__all__ = ["number", "outside", "put_number", "requesting", "whole_numbers", "written_name"]
