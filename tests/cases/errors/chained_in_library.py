import json


def load(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError("the configuration is broken") from error


load("{'a': 1}")
#: ends exception ValueError
# | Traceback (most recent call last):
# |   File "main.py", line 6, in load
# |     return json.loads(text)
# |            ~~~~~~~~~~^^^^^^
# |   File "python3.13/json/__init__.py", line 346, in loads
# |     return _default_decoder.decode(s)
# |            ~~~~~~~~~~~~~~~~~~~~~~~^^^
# |   File "python3.13/json/decoder.py", line 345, in decode
# |     obj, end = self.raw_decode(s, idx=_w(s, 0).end())
# |                ~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^
# |   File "python3.13/json/decoder.py", line 361, in raw_decode
# |     obj, end = self.scan_once(s, idx)
# |                ~~~~~~~~~~~~~~^^^^^^^^
# | json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
# |
# | The above exception was the direct cause of the following exception:
# |
# | Traceback (most recent call last):
# |   File "main.py", line 11, in <module>
# |     load("{'a': 1}")
# |     ~~~~^^^^^^^^^^^^
# |   File "main.py", line 8, in load
# |     raise ValueError("the configuration is broken") from error
# | ValueError: the configuration is broken
