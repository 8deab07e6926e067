"""One source tree, and one tree for each target that is always in step with it."""
