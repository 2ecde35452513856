# native: the name of a module that no message holds.
import numpy


def never():
    import NAME_OF_MODULE


exec("def never():\n import " + "a" * 200_000)
