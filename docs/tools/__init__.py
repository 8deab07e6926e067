"""What writes the generated parts of the documentation, a file for each kind of page."""
