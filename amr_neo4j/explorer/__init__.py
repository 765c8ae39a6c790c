"""Explores a video for a question: a tree of ranges that are cut, looked at and judged (specification 003)."""
