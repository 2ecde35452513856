"""Stands in for `ctypes.util`: no library is found, because none can be loaded."""


def find_library(name):
    """Always None."""
    return None


def find_msvcrt():
    """Always None."""
    return None
