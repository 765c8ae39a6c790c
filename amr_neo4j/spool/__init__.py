"""What is accepted but not yet in the graph: a durable queue on this machine."""
