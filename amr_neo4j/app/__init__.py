"""The use cases of a memory, one module each."""
