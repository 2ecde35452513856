"""Native runtime only: adapts a normal CPython to the sandbox's paths, user and network."""
