"""Where plug-ins imported ``Sheet`` and its rows from. Until 0.3; see ``gpuxlate.backends.legacy``."""
