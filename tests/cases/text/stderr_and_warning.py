import sys
import warnings

print("result")
print("careful", file=sys.stderr)
warnings.warn("old function", DeprecationWarning)
# | result
# | [stderr]
# | careful
# | main.py:6: DeprecationWarning: old function
# |   warnings.warn("old function", DeprecationWarning)
