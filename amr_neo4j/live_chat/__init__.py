"""A live conversation: which facts of the user go into the next prompt."""
