"""Facts: their embedding, recall and the budget of a prompt (specification 002)."""
