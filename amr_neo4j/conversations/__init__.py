"""Stores conversations verbatim as episodes, with the mentions and relations found in them (specification 004)."""
