import warnings

for _ in range(3):
    warnings.warn("old", DeprecationWarning)
print("end")
# | end
# | [stderr]
# | main.py:4: DeprecationWarning: old
# |   warnings.warn("old", DeprecationWarning)
