"""WASI guest only, at build time: prepares the interpreter that the snapshot is taken of."""
