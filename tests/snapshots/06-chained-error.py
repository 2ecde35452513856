import json


def load(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError("the configuration is broken") from error


load("{'a': 1}")
