"""Unit tests of the bootstrap; run with `python -m unittest discover -s tests -t .` in the folder above.

They need the native Python 3.13 and nothing else; tests of figures are skipped where matplotlib is missing.
"""
