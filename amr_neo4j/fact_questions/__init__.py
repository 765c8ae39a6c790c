"""Questions that the believed facts of a user answer."""
