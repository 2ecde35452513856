#: runtime native
import tkinter

tkinter.Tk()
#: ends exception _tkinter.TclError
# | Traceback (most recent call last):
# |   File "main.py", line 4, in <module>
# |     tkinter.Tk()
# |     ~~~~~~~~~~^^
# | _tkinter.TclError: no display name: there is no screen here; draw with matplotlib, figures are shown without a window
