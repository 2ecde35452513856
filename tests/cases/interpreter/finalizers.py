import weakref


class Thing:
    pass


thing = Thing()
weakref.finalize(thing, print, "gone")
del thing
at_the_end = Thing()
weakref.finalize(at_the_end, print, "gone at the end")
print("last line")
# | gone
# | last line
# | gone at the end
