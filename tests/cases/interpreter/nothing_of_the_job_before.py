import builtins
import os
import sys

print(getattr(builtins, "left", None), "leftover" in sys.modules)
print(os.listdir("/mnt/data"), os.environ.get("LEFT"))
builtins.left = 1
sys.modules["leftover"] = sys
open("/mnt/data/left", "w").close()
os.environ["LEFT"] = "1"
# | None False
# | [] None
# | [files written: left (0 bytes)]
# --- call
import builtins
import os
import sys

print(getattr(builtins, "left", None), "leftover" in sys.modules)
print(os.listdir("/mnt/data"), os.environ.get("LEFT"))
# | None False
# | [] None
