"""Unit tests of the bootstrap.

Run them with `python -m unittest discover -s tests -t .` in the folder above.

They need the native Python 3.13 and nothing else. Without matplotlib the tests of figures are
skipped.
"""
