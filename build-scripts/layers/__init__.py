"""The checks behind `check-layers`: who may name whom, how large files are, what documents name.

`rules` holds what is allowed; the other modules find what is not.
"""
