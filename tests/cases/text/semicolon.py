print("printed")
1 + 1;
# | printed
