import sys
import warnings

print("result")
print("careful", file=sys.stderr)
warnings.warn("old function", DeprecationWarning)
