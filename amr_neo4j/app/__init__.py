"""What a person does with a memory, a module for each use case."""
