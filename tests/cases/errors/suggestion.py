import collections

collections.OrderedDic()
#: ends exception AttributeError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     collections.OrderedDic()
# |     ^^^^^^^^^^^^^^^^^^^^^^
# | AttributeError: module 'collections' has no attribute 'OrderedDic'. Did you mean: 'OrderedDict'?
