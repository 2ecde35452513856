"""Both runtimes: everything that passes between the host and a job.

The request comes in. Frames with images and reports go out. The deadline is a signal from the host.
"""
