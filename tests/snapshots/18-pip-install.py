!pip install numpy
print("ready")
