#: runtime auto
import os

os.lisdir()
#: ends exception AttributeError
#: ran wasm because pure Python
# | Traceback (most recent call last):
# |   File "main.py", line 4, in <module>
# |     os.lisdir()
# |     ^^^^^^^^^
# | AttributeError: module 'os' has no attribute 'lisdir'. Did you mean: 'listdir'?
