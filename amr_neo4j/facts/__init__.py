"""What is believed of a user, kept in order: confidence, contradictions, merging (specification 002)."""
