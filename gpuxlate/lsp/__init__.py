"""The language server: findings, fixes, hover, completion and translations while typing. The only folder
that imports ``pygls``.

It calls what the commands call: ``lint``, ``translation``, the data sheets and the rules.
"""
