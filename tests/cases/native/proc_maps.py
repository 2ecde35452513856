#: runtime native
print("python" in open("/proc/self/maps").read())
try:
    open("/proc/self/status")
except PermissionError as error:
    print(error.errno)
# | True
# | 13
