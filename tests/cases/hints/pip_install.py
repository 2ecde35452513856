!pip install numpy
print("ready")
# | ready
# | [note: line 1: `!pip install numpy` was ignored: packages cannot be installed in a job; what is installed can be imported]
