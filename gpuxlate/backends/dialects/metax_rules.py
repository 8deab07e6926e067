"""The rules of MetaX that no row says: METAX020 to METAX022."""
