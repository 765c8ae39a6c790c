"""Conversations as they were said: episodes, who and what they mention, and what they state (specification 004)."""
