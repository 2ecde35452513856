"""Native runtime only: the process that forks a confined child for each job."""
