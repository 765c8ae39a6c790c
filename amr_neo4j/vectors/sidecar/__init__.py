"""Dense indexes in a separate process that several programs share: the server and the client."""
