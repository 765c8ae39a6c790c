"""Live conversations: reads each turn and chooses the facts of the user that go into the next prompt."""
