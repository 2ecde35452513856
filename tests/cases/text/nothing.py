x = 1
# | [no output]
# --- call
# | [no output]
