"""Native runtime only: the warm parent process that forks a confined child for each job."""
