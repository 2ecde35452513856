# Leaves by no exception that it can catch.
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
