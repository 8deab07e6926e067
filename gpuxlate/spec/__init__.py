"""The GPUShare document, the configuration and the profiles: pydantic at the border, Share inside.

``document`` reads and writes GPUShare documents, ``config`` finds and reads configuration and
profiles, ``schemas`` writes ``schemas/``. Importing any of them does not import pydantic: that
waits until there is a document or a configuration to check.
"""
