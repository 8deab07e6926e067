"""What makes the documentation: the generated pages, the inserts of pages that people write, the site."""
