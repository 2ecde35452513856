#: runtime native
#: arguments {"timeout": 55}
import multiprocessing

try:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(abs, [-1]))
except OSError as error:
    print("no workers:", type(error).__name__)
print("ok")
# | no workers: PermissionError
# | ok
