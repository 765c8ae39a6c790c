"""Memory over HTTP: `amr serve`. Needs the extra `serve`; docs/server.md says what it promises."""
