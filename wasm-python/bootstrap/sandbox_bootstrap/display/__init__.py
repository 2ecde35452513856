"""Both runtimes: `display()`, values of last expressions, and the stand-in for IPython."""
