import sys

for percent in range(0, 101, 20):
    sys.stderr.write(f"\r{percent:3}%|{'#' * (percent // 20):<5}|")
sys.stderr.write("\n")
print("\x1b[32mdone\x1b[0m")
# | done
# | [stderr]
# | 100%|#####|
