"""The dense indexes in a process of their own, for several programs and larger machines: server and client."""
