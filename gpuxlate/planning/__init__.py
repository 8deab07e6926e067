"""Cards, nodes and room: what shares need of a cluster, and whether they got it."""
