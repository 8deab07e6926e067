"""gpuxlate: one GPU share, said in every vendor's terms."""

__version__ = "0.1.0"
