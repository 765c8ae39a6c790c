"""Explores a video for a question: a tree of stretches that are cut, looked at and judged (specification 003)."""
