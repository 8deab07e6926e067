"""Data at the border, checked by pydantic: GPUShare documents, configuration, profiles, JSON Schemas."""
