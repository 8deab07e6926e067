"""One pod: its shares are read, fitted to the target and written, with all that is to be said of it."""
