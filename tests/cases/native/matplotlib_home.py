#: runtime native
import os

import matplotlib

config, cache = matplotlib.get_configdir(), matplotlib.get_cachedir()
print(os.access(config, os.W_OK), os.access(cache, os.W_OK))
print(config.startswith(os.environ["MPLCONFIGDIR"]))
# | True True
# | True
