# native: names that the fork server should not try.
import numpy

if False:
    import antigravity
    import idlelib.idle
    import numpy.f2py.__main__
    import this
    from sklearn.experimental import enable_iterative_imputer
