"""Answers questions from the believed facts of a user."""
