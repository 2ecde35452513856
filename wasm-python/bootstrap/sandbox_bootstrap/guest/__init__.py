"""WASI guest only: fills in what this Python lacks, or sends the job to the native runtime."""
