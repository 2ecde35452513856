#: arguments {"timeout": 1}
print("stubborn", flush=True)
while True:
    try:
        while True: pass
    except BaseException:
        pass
#: ends limit wall 1000
# | stubborn
# | Stopped at:
# | File "main.py", line 5, in <module>
# |     while True: pass
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
