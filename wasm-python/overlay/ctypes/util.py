"""Stands in for `ctypes.util`: no library can be found where none can be loaded."""


def find_library(name):
    """Always None."""
    return None


def find_msvcrt():
    """Always None."""
    return None
