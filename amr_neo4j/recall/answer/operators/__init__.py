"""The answer operators. Each makes the claims of an answer of one type from the selected events."""
