"""Facts: their embedding, recall, confidence, merging, and the budget of a prompt (specification 002)."""
