"""Both runtimes: the road of one job, from the request to the exit code (`run.py`)."""
