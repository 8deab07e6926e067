"""A cluster that translates: what the backends do with a share, learned from them and written as CEL."""
