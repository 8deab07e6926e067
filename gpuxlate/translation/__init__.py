"""From one dialect to another: read, fit, write, and the edits of documents."""
