#: runtime auto
#: session
import matplotlib.pyplot as plt

xs = [1, 2, 3]
#: ran native because `matplotlib` needs the native runtime
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
plt.plot(xs)
plt.title("one")
plt.show()
#: ran native because the session runs in the native runtime
#: images 558x428 png
# | [image 1: 558x428 PNG, "one"]
# | line plot "one", x -0.1 to 2.1, y 0.9 to 3.1; 3 points for x 0 to 2, first 1, last 3, min 1, max 3.
# | [session <handle>]
# --- call
plt.plot(xs)
plt.title("two")
plt.show()
#: ran native because the session runs in the native runtime
#: images 558x431 png
# | [image 1: 558x431 PNG, "two"]
# | line plot "two", x -0.1 to 2.1, y 0.9 to 3.1; 3 points for x 0 to 2, first 1, last 3, min 1, max 3.
# | [session <handle>]
