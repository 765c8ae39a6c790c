"""Dense indexes in a process of their own, which several programs share: the server and the client."""
